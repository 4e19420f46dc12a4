import { accountCsv, receiptFiles } from "../../billing/billing.ts";
import { callsCsv } from "../../calls/calls.ts";
import { exportContacts } from "../../contacts/contacts.ts";
import type { Customer } from "../../accounts/accounts.ts";
import type { PersonalDataDependencies } from "../personal-data-dependencies.ts";
import { readMe } from "./read-me.ts";
import type { PersonalRows } from "./personal-rows.store.ts";
import type { ArchiveFile } from "./zip-files.ts";

type Dependencies = Pick<PersonalDataDependencies, "handle" | "clock" | "ledger">;

/** The files of a customer's copy that people open: a note, tables, contact cards and receipts. */
export async function* documentFiles(deps: Dependencies, customer: Customer): AsyncGenerator<ArchiveFile, void, void> {
  const at = deps.clock.now();
  const text = (path: string, content: AsyncIterable<string>): ArchiveFile => ({ path, compress: true, at, content });
  yield text("README.txt", once(readMe(customer.language)));
  yield text("calls.csv", callsCsv(deps, customer.id));
  yield text("statement.csv", await accountCsv(deps, customer));
  yield text("contacts.vcf", exportContacts(deps, customer.id, "vcf").parts);
  for await (const { fileName, content } of receiptFiles(deps, customer))
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
