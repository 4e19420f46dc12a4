import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";

/** Sorted hash prefixes of common passwords; see server/data/NOTICE.md and tools/make-common-passwords.ts. */
const FILE = new URL("../../../data/common-passwords.bin", import.meta.url);
const BYTES_EACH = 6;
const MIN_LENGTH = 8;

let list: Buffer | null = null;

/**
 * Whether a password is one of the 100,000 most common of at least eight characters, in any case, also with
 * digits and symbols for letters ("P@ssw0rd") or symbols appended ("password!!").
 */
export function isCommonPassword(password: string): boolean {
  const lower = password.toLowerCase();
  const bare = lower.replace(/[^\p{L}\p{N}]+$/u, "");
  const forms = new Set([lower, bare, plainLetters(lower, "i"), plainLetters(bare, "i"), plainLetters(bare, "l")]);
  return [...forms].some((form) => form.length >= MIN_LENGTH && isListed(form));
}

/** The form in which a password is listed. */
export function listedForm(password: string): Buffer {
  return createHash("sha256").update(password).digest().subarray(0, BYTES_EACH);
}

const SIGNS: Readonly<Record<string, string>> = { "@": "a", "4": "a", "3": "e", "0": "o", "5": "s", $: "s", "7": "t", "!": "i" };

/** Replaces look-alike symbols by letters. A 1 may be an i or an l. */
function plainLetters(text: string, one: "i" | "l"): string {
  return text.replace(/[@4305$7!1]/g, (sign) => (sign === "1" ? one : (SIGNS[sign] ?? sign)));
}

function isListed(form: string): boolean {
  list ??= readFileSync(FILE);
  const wanted = listedForm(form);
  let low = 0;
  let high = list.length / BYTES_EACH;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const order = list.compare(wanted, 0, BYTES_EACH, middle * BYTES_EACH, (middle + 1) * BYTES_EACH);
    if (order === 0) return true;
    if (order < 0) low = middle + 1;
    else high = middle;
  }
  return false;
}
