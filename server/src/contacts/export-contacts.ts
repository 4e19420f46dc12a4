import { exportFormat, type ContactExportResponse, type ExportFormat } from "@farline/contract/contacts.ts";
import { detailNames, mapDetails } from "@farline/domain/contacts/contact-details.ts";
import { writeCard } from "@farline/domain/contacts/cards/write-card.ts";
import type { SessionWithCustomer } from "../accounts/accounts.ts";
import { CSV_START, csvRecord } from "../platform/csv.ts";
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

/** Column names that the import recognises. */
const COLUMNS: readonly Column[] = [
  ["first_name", (contact) => contact.first_name],
  ["last_name", (contact) => contact.last_name ?? ""],
  ...numberColumns(0),
  ["email", (contact) => contact.email ?? ""],
  ...detailNames.map((detail): Column => [detail, (contact) => contact[detail] ?? ""]),
  ["notes", (contact) => contact.notes ?? ""],
  ["favorite", (contact) => String(contact.favorite)],
];

function numberColumns(position: number): readonly Column[] {
  const name = position === 0 ? "phone_number" : `phone_number_${position + 1}`;
  return [
    [name, (contact) => writtenNumber(contact.numbers[position])],
    [`${name}_type`, (contact) => contact.numbers[position]?.phone_number_type ?? ""],
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
  const { ticket, expiresAt } = await issueDownloadTicket(ctx, { owner, subject: SUBJECT, facts: { format } });
  return { ticket, expires_at: expiresAt.toISOString() };
}

/** @throws AppError link_expired for an invalid ticket */
export async function exportByTicket(ctx: Context, ticket: PresentedTicket): Promise<ContactDownload> {
  const { customerId, facts } = await redeemDownloadTicket(ctx, { ticket, subject: SUBJECT });
  const { format } = facts as { format: unknown };
  return exportContacts(ctx, customerId, exportFormat.parse(format));
}

/** All contacts of a customer, sorted by name. Importing the file again restores them in either format. */
export function exportContacts(ctx: Context, customerId: string, format: ExportFormat): ContactDownload {
  const day = ctx.clock.now().toISOString().slice(0, 10);
  return {
    fileName: `farline-contacts-${day}.${format}`,
    type: format === "csv" ? "text/csv; charset=utf-8" : "text/vcard; charset=utf-8",
    parts: format === "csv" ? table(ctx, customerId) : cards(ctx, customerId),
  };
}

async function* table(ctx: Context, customerId: string): AsyncIterable<string> {
  // The header is written first, so numbers added during the download may be left out.
  const numberCount = await maxNumbersPerContact(ctx.handle.db, customerId);
  const columns = [
    ...COLUMNS,
    ...Array.from({ length: Math.max(0, numberCount - 1) }, (_, index) => numberColumns(index + 1)).flat(),
  ];
  yield CSV_START + csvRecord(columns.map(([name]) => name));
  for await (const contacts of pages(ctx, customerId))
    yield contacts.map((contact) => csvRecord(columns.map(([, of]) => of(contact)))).join("");
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
