import { readOwn, writeOwn } from "../../../browser/own-storage.ts";

/** Maximum stored; the oldest are dropped. */
const MAX_STORED = 200;
const STORE = "extensions";

/** The extension that this customer last dialled with the number; "" without one. */
export function keptExtension(customerId: string, e164: string): string {
  return readKept(customerId).find(([number]) => number === e164)?.[1] ?? "";
}

/** Stores the extension of a number; "" removes it. */
export function keepExtension(customerId: string, e164: string, extension: string): void {
  const others = readKept(customerId).filter(([number]) => number !== e164);
  if (extension !== "") others.push([e164, extension]);
  writeOwn(customerId, STORE, others.length === 0 ? null : JSON.stringify(others.slice(-MAX_STORED)));
}

function readKept(customerId: string): [string, string][] {
  try {
    const kept: unknown = JSON.parse(readOwn(customerId, STORE) ?? "[]");
    return Array.isArray(kept) ? kept.filter(isPair) : [];
  } catch {
    return []; // Malformed or truncated: treat as empty.
  }
}

function isPair(value: unknown): value is [string, string] {
  return Array.isArray(value) && typeof value[0] === "string" && typeof value[1] === "string";
}
