import { createHash, randomBytes } from "node:crypto";

const CODES = 10;
const CODE_BYTES = 10;
/** Crockford's Base32: no I, L, O or U, so that handwritten codes stay legible. */
const ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/** Ten new codes of 80 random bits, in four groups of four: "7QK3-W0ZD-…". */
export function newRecoveryCodes(): string[] {
  return Array.from({ length: CODES }, () => newCode());
}

/** Hash of a code, as stored. Ignores case, spaces and dashes, and reads look-alike letters as digits. */
export function hashRecoveryCode(customerId: string, code: string): Buffer {
  const plain = code
    .toUpperCase()
    .replaceAll(/[^0-9A-Z]/g, "")
    .replaceAll("O", "0")
    .replaceAll(/[IL]/g, "1");
  return createHash("sha256").update(`${customerId}:${plain}`).digest();
}

function newCode(): string {
  let bits = BigInt(`0x${randomBytes(CODE_BYTES).toString("hex")}`);
  let code = "";
  for (let at = 0; at < 16; at += 1) {
    code += ALPHABET[Number(bits & 31n)];
    bits >>= 5n;
  }
  return code.replace(/(.{4})(?=.)/g, "$1-");
}
