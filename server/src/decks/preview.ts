import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { pipeline } from "node:stream/promises";

/** Enough that no two readings share it by chance; short enough to type. */
const PREVIEW_DIGITS = 16;

/**
 * Names what an operator looked at before a list is stored: the file, how it was ordered to be read, the prices that follow, and the deck
 * that they were compared with. A change of any of them is another preview.
 * @param read.file the file's SHA-256. @param read.prices that of the built prices
 */
export function previewOf(
  order: Readonly<Record<"path" | "reason" | "preview", unknown>>,
  read: { file: string; prices: string; against: string | null },
): string {
  const { path: _path, reason: _reason, preview: _preview, ...rest } = order;
  const told = JSON.stringify({ ...rest, ...read }, (_key, value: unknown) =>
    value instanceof Set || value instanceof Map ? Array.from(value, (one) => JSON.stringify(one)).toSorted(byText) : value,
  );
  return createHash("sha256").update(told).digest("hex").slice(0, PREVIEW_DIGITS);
}

function byText(one: string, other: string): number {
  return one < other ? -1 : Number(one > other);
}

/** SHA-256 of a file. */
export async function hashOf(path: string): Promise<string> {
  const hash = createHash("sha256");
  await pipeline(createReadStream(path), hash);
  return hash.digest("hex");
}
