import { accountCsv, receiptFiles } from "../../billing/billing.ts";
import { callsCsv } from "../../calls/calls.ts";
import { exportContacts } from "../../contacts/contacts.ts";
import type { Customer } from "../../accounts/accounts.ts";
import { readMe } from "./read-me.ts";
import type { PersonalRows } from "./personal-rows.store.ts";
import type { ArchiveFile } from "./zip-files.ts";
import type { Context } from "../../context.ts";

/** The human-readable files of a customer's copy: a read-me, tables, contact cards and receipts. */
export async function* documentFiles(ctx: Context, customer: Customer): AsyncGenerator<ArchiveFile, void, void> {
  const at = ctx.clock.now();
  const text = (path: string, content: AsyncIterable<string>): ArchiveFile => ({ path, compress: true, at, content });
  yield text("README.txt", once(readMe(customer.language)));
  yield text("calls.csv", callsCsv(ctx, customer.id));
  yield text("statement.csv", await accountCsv(ctx, customer));
  yield text("contacts.vcf", exportContacts(ctx, customer.id, "vcf").parts);
  for await (const { fileName, content } of receiptFiles(ctx, customer))
    yield { path: `receipts/${fileName}`, compress: false, at, content };
}

/** A table of the database as a JSON file. */
export function rowsFile({ table, pieces }: PersonalRows, at: Date): ArchiveFile {
  return { path: `data/${table}.json`, compress: true, at, content: jsonArray(pieces()) };
}

async function* jsonArray(pieces: AsyncIterable<readonly string[]>): AsyncGenerator<string, void, void> {
  let before = "[\n";
  for await (const lines of pieces) {
    yield before + lines.join(",\n");
    before = ",\n";
  }
  yield before === "[\n" ? "[]\n" : "\n]\n";
}

async function* once(text: string): AsyncGenerator<string, void, void> {
  yield text;
}
