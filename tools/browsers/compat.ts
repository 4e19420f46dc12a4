import { createRequire } from "node:module";
import type { CompatData, CompatStatement, Identifier, SimpleSupportStatement } from "@mdn/browser-compat-data";
import { browserFloor } from "../../web/src/browser/browser-floor.ts";

/** MDN's compatibility data; each feature is a node with `__compat`. */
export const compatData = createRequire(import.meta.url)("@mdn/browser-compat-data") as CompatData;

/** Something that a file uses and a supported browser may lack. */
export interface Use {
  readonly feature: string;
  /** The supported browsers that lack it. */
  readonly missing: string;
}

/**
 * The supported browsers that lack a feature, or null if all have it. `prefixes` are those that the file declares as well.
 * Features that the data does not know are nobody's: null.
 */
export function missingIn(compat: CompatStatement | undefined, prefixes: readonly string[] = []): string | null {
  if (compat === undefined) return null;
  const missing = Object.entries(browserFloor).flatMap(([browser, floor]) => {
    const support = compat.support[browser as keyof typeof browserFloor];
    if (support === undefined) return [];
    const statements: readonly SimpleSupportStatement[] = [support].flat();
    if (statements.some((one) => includes(one, floor, prefixes))) return [];
    const since = statements.find(isPlain)?.version_added;
    return [`${browser} ${floor} (${typeof since === "string" ? `since ${since}` : "never"})`];
  });
  return missing.length === 0 ? null : missing.join(", ");
}

/** A feature that several interfaces may provide: lacking only if every one of them lacks it, because a scan cannot tell which is meant. */
export function missingInAll(compats: readonly CompatStatement[]): string | null {
  const found = compats.map((compat) => missingIn(compat));
  return found.every((one) => one !== null) ? (found[0] ?? null) : null;
}

/** The feature at a path of the data. */
export function compatAt(...path: readonly string[]): CompatStatement | undefined {
  return nodeAt(...path)?.__compat;
}

/** A node of the data with everything below it. */
export function nodeAt(...path: readonly string[]): Identifier | undefined {
  let node: unknown = compatData;
  for (const name of path) {
    if (node === undefined || !Object.hasOwn(node as object, name)) return undefined;
    node = (node as Record<string, unknown>)[name];
  }
  return node as Identifier;
}

function isPlain({ flags, prefix, alternative_name }: SimpleSupportStatement): boolean {
  return flags === undefined && prefix === undefined && alternative_name === undefined;
}

function includes(statement: SimpleSupportStatement, floor: string, prefixes: readonly string[]): boolean {
  const { version_added: added, version_removed: removed, prefix, flags } = statement;
  const named = isPlain(statement) || (flags === undefined && prefix !== undefined && prefixes.includes(prefix));
  if (!named || typeof added !== "string" || added === "preview") return false;
  if (typeof removed === "string" && compareVersions(removed, floor) <= 0) return false;
  return compareVersions(added.replace("≤", ""), floor) <= 0;
}

function compareVersions(one: string, other: string): number {
  const [a, b] = [one, other].map((version) => version.split(".").map(Number)) as [number[], number[]];
  return a[0] === b[0] ? (a[1] ?? 0) - (b[1] ?? 0) : (a[0] ?? 0) - (b[0] ?? 0);
}
