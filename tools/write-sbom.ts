import { execFile } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { productionPackages } from "./production-packages.ts";

/**
 * `npm run sbom [-- folder]`: what the product consists of, without development packages. Writes `sbom.cdx.json` (CycloneDX) and
 * `licences.csv`.
 */
const [folder = "sbom"] = process.argv.slice(2);
const { stdout } = await promisify(execFile)("npm", ["sbom", "--sbom-format=cyclonedx", "--package-lock-only", "--omit=dev"], {
  maxBuffer: 64 * 1024 * 1024,
});
const packages = productionPackages();
mkdirSync(folder, { recursive: true });
writeFileSync(join(folder, "sbom.cdx.json"), stdout);
const lines = packages.map(({ name, version, licence }) => `${name},${version},${licence}\n`);
writeFileSync(join(folder, "licences.csv"), `package,version,licence\n${lines.join("")}`);
console.log(`${packages.length} packages: ${join(folder, "sbom.cdx.json")}, ${join(folder, "licences.csv")}`);
