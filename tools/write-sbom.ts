import { execFile } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";

interface ProductionPackage {
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

/**
 * `npm run sbom [-- folder]`: what the product consists of, without development packages. Writes `sbom.cdx.json` (CycloneDX) and
 * `licences.csv`.
 */
async function writeSbom(folder: string): Promise<void> {
  const { stdout } = await promisify(execFile)("npm", ["sbom", "--sbom-format=cyclonedx", "--package-lock-only", "--omit=dev"], {
    maxBuffer: 64 * 1024 * 1024,
  });
  const packages = productionPackages();
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "sbom.cdx.json"), stdout);
  const lines = packages.map(({ name, version, licence }) => `${name},${version},${licence}\n`);
  writeFileSync(join(folder, "licences.csv"), `package,version,licence\n${lines.join("")}`);
  console.log(`${packages.length} packages: ${join(folder, "sbom.cdx.json")}, ${join(folder, "licences.csv")}`);
}

if (import.meta.main) await writeSbom(process.argv[2] ?? "sbom");
