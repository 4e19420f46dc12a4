import { readFileSync } from "node:fs";

export interface ProductionPackage {
  readonly name: string;
  readonly version: string;
  /** An SPDX expression; "none" if the package does not state one. */
  readonly licence: string;
}

/** Packages that state their licence only in a file of their own. */
const STATED: Readonly<Record<string, string>> = { "png-js": "MIT" };

interface LockFile {
  readonly packages: Readonly<
    Record<string, { readonly version?: string; readonly license?: string; readonly dev?: boolean; readonly link?: boolean }>
  >;
}

/** The packages of the lock file that run in production, by name and version, each once. */
export function productionPackages(): ProductionPackage[] {
  const { packages } = JSON.parse(readFileSync("package-lock.json", "utf8")) as LockFile;
  const found = Object.entries(packages).flatMap(([path, { version = "", license, dev = false, link = false }]) => {
    if (!path.includes("node_modules/") || dev || link) return [];
    const name = path.replace(/^.*node_modules\//, "");
    return [{ name, version, licence: license ?? STATED[name] ?? "none" }];
  });
  const each = new Map(found.map((one) => [`${one.name} ${one.version}`, one]));
  return [...each.values()].toSorted((a, b) => a.name.localeCompare(b.name, "en"));
}
