import { exportFormat, type ContactExportResponse, type ExportFormat } from "@farline/contract/contacts.ts";
import { type ContactDetail, detailNames, mapDetails } from "@farline/domain/contacts/contact-details.ts";
import { writeCard } from "@farline/domain/contacts/cards/write-card.ts";
import type { SessionWithCustomer } from "../accounts/accounts.ts";
import type { PhoneType } from "@farline/domain/contacts/contact-file.ts";
import { type Language, languages } from "@farline/domain/languages.ts";
import { catalogue } from "@farline/texts/catalogue.ts";
import { z } from "zod";
import { CSV_START, csvRecord, separatorIn } from "../platform/csv.ts";
import { issueDownloadTicket, redeemDownloadTicket, type PresentedTicket } from "../platform/http/download-ticket.ts";
import { ALL_CONTACTS, maxNumbersPerContact, readContactPage, type After } from "./contact.store.ts";
import { numberKey, type ContactRow, type NumberFacts } from "./contacts.tables.ts";
import type { Context } from "../context.ts";

const SUBJECT = "contacts";
const CONTACTS_AT_ONCE = 1_000;

export interface ContactDownload {
  readonly fileName: string;
  readonly type: string;
  /** Streamed: read while it is sent. */
  readonly parts: AsyncIterable<string>;
}

type Column = readonly [name: string, of: (contact: ContactRow) => string];

/** How a table is written: its headers, which the import recognises, and its words. */
interface TableForm {
  readonly separator: "," | ";";
  readonly heads: Readonly<Record<"first_name" | "last_name" | "email" | "notes" | "favorite" | ContactDetail, string>>;
  readonly number: (position: number) => { readonly head: string; readonly typeHead: string };
  readonly type: (type: PhoneType) => string;
  readonly favorite: (isFavorite: boolean) => string;
}

const FOR_PROGRAMS: TableForm = {
  separator: ",",
  heads: {
    first_name: "first_name",
    last_name: "last_name",
    email: "email",
    ...mapDetails((detail) => detail),
    notes: "notes",
    favorite: "favorite",
  },
  number: (position) => {
    const head = position === 1 ? "phone_number" : `phone_number_${position}`;
    return { head, typeHead: `${head}_type` };
  },
  type: (type) => type,
  favorite: String,
};

/** In the words with which the import names a file's columns. */
function forPeople(language: Language): TableForm {
  const { role, type } = catalogue(language, "contacts");
  return {
    separator: separatorIn(language),
    heads: role,
    number: (position) => {
      const [head, typeHead] = [role.phone, role.phone_type].map((text) => (position === 1 ? text : `${text} ${position}`));
      return { head: head ?? "", typeHead: typeHead ?? "" };
    },
    type: (one) => type[one],
    favorite: (isFavorite) => (isFavorite ? "✓" : ""),
  };
}

function columnsOf(form: TableForm, numberCount: number): readonly Column[] {
  const { heads } = form;
  const numbers = Array.from({ length: Math.max(1, numberCount) }, (_, index) => numberColumns(form, index));
  return [
    [heads.first_name, (contact) => contact.first_name],
    [heads.last_name, (contact) => contact.last_name ?? ""],
    ...(numbers[0] ?? []),
    [heads.email, (contact) => contact.email ?? ""],
    ...detailNames.map((detail): Column => [heads[detail], (contact) => contact[detail] ?? ""]),
    [heads.notes, (contact) => contact.notes ?? ""],
    [heads.favorite, (contact) => form.favorite(contact.favorite)],
    ...numbers.slice(1).flat(),
  ];
}

function numberColumns(form: TableForm, index: number): readonly Column[] {
  const { head, typeHead } = form.number(index + 1);
  const typeOf = (number: NumberFacts | undefined) => (number === undefined ? "" : form.type(number.phone_number_type));
  return [
    [head, (contact) => writtenNumber(contact.numbers[index])],
    [typeHead, (contact) => typeOf(contact.numbers[index])],
  ];
}

/** The number with its extension as phones dial it, "+442079460001,,12"; "" without a number. */
function writtenNumber(number: NumberFacts | undefined): string {
  return number === undefined ? "" : numberKey(number);
}

/** Issues a ticket for one download within a minute. */
export async function issueExportTicket(
  ctx: Context,
  owner: SessionWithCustomer,
  format: ExportFormat,
): Promise<ContactExportResponse> {
  const { ticket, expiresAt } = await issueDownloadTicket(ctx, {
    owner,
    subject: SUBJECT,
    facts: { format, language: owner.language },
  });
  return { ticket, expires_at: expiresAt.toISOString() };
}

/** @throws AppError link_expired for an invalid ticket */
export async function exportByTicket(ctx: Context, ticket: PresentedTicket): Promise<ContactDownload> {
  const { customerId, facts } = await redeemDownloadTicket(ctx, { ticket, subject: SUBJECT });
  return exportContacts(ctx, customerId, exportFacts.parse(facts));
}

const exportFacts = z.object({ format: exportFormat, language: z.enum(languages) });
type ExportFacts = z.infer<typeof exportFacts>;

/** All contacts of a customer, sorted by name. Importing the file again restores them in any format. */
export function exportContacts(ctx: Context, customerId: string, { format, language }: ExportFacts): ContactDownload {
  const day = ctx.clock.now().toISOString().slice(0, 10);
  const isTable = format !== "vcf";
  const form = format === "table" ? forPeople(language) : FOR_PROGRAMS;
  return {
    fileName: `farline-contacts-${day}.${isTable ? "csv" : "vcf"}`,
    type: isTable ? "text/csv; charset=utf-8" : "text/vcard; charset=utf-8",
    parts: isTable ? table(ctx, customerId, form) : cards(ctx, customerId),
  };
}

async function* table(ctx: Context, customerId: string, form: TableForm): AsyncIterable<string> {
  // The header is written first, so numbers added during the download may be left out.
  const numberCount = await maxNumbersPerContact(ctx.handle.db, customerId);
  const columns = columnsOf(form, numberCount);
  yield (
    CSV_START +
      csvRecord(
        columns.map(([name]) => name),
        form.separator,
      )
  );
  for await (const contacts of pages(ctx, customerId))
    yield contacts
      .map((contact) =>
        csvRecord(
          columns.map(([, of]) => of(contact)),
          form.separator,
        ),
      )
      .join("");
}

async function* cards(ctx: Context, customerId: string): AsyncIterable<string> {
  for await (const contacts of pages(ctx, customerId))
    yield contacts
      .map((contact) =>
        writeCard({
          firstName: contact.first_name,
          lastName: contact.last_name ?? "",
          ...mapDetails((detail) => contact[detail] ?? ""),
          email: contact.email ?? "",
          notes: contact.notes ?? "",
          favorite: contact.favorite,
          numbers: contact.numbers.map((number) => ({ text: writtenNumber(number), type: number.phone_number_type })),
        }),
      )
      .join("");
}

/** Bounded, because a customer has at most 10,000 contacts. */
async function* pages({ handle }: Context, customerId: string): AsyncIterable<ContactRow[]> {
  let after: After | null = null;
  for (;;) {
    const rows: ContactRow[] = await readContactPage(handle.db, customerId, {
      search: ALL_CONTACTS,
      after,
      limit: CONTACTS_AT_ONCE,
    });
    yield rows;
    const last = rows.at(-1);
    if (last === undefined || rows.length < CONTACTS_AT_ONCE) return;
    after = { sortKey: last.sort_key, id: last.id };
  }
}
