import { readFileSync, writeFileSync } from "node:fs";
import { listedForm } from "@farline/server/accounts/credentials/common-passwords.ts";

/**
 * Generates server/data/common-passwords.bin from a list of passwords, one per line, most used first:
 * `node tools/make-common-passwords.ts LIST`. server/data/NOTICE.md names the source of the list.
 */
const MAX_PASSWORDS = 100_000;
const MIN_LENGTH = 8;
const MAX_LENGTH = 128;

const [source] = process.argv.slice(2);
if (source === undefined) throw new Error("Usage: node tools/make-common-passwords.ts LIST");
const passwords = new Set<string>();
for (const line of readFileSync(source, "utf8").split(/\r?\n/)) {
  const password = line.toLowerCase();
  if (password.length >= MIN_LENGTH && password.length <= MAX_LENGTH) passwords.add(password);
  if (passwords.size === MAX_PASSWORDS) break;
}
const forms = [...passwords].map(listedForm).toSorted(Buffer.compare);
writeFileSync(new URL("../server/data/common-passwords.bin", import.meta.url), Buffer.concat(forms));
console.log(`${forms.length} passwords.`);
