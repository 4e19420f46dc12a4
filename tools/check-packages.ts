import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { productionPackages } from "./write-sbom.ts";

/** Licences that a package of the product may have. Any other needs a person who reads it. */
const LICENCES = new Set([
  "0BSD",
  "Apache-2.0",
  "BlueOak-1.0.0",
  "BSD-2-Clause",
  "BSD-3-Clause",
  "CC0-1.0",
  "ISC",
  "MIT",
  "MIT-0",
  "MPL-2.0",
  "OFL-1.1",
  "Unlicense",
]);
/** Known faults that do not concern us, by advisory, each with the reason. */
const ACCEPTED: Readonly<Record<string, string>> = {};
/** Folders of the lock files: the product, and tracing, which is installed beside it. */
const LOCKED = [".", "deploy/tracing"];
const LIMIT_MS = 60_000;

/** `npm audit --json` of npm 7 and newer; without `vulnerabilities` if the registry did not answer. */
interface Audit {
  readonly vulnerabilities?: Readonly<Record<string, { readonly via: readonly (string | Advisory)[] }>>;
  readonly message?: string;
}
interface Advisory {
  readonly url: string;
  readonly title: string;
  readonly severity: string;
  readonly range: string;
}

/**
 * The packages that run in production: each has a licence of the list, and none has a known fault. A registry that has no list of faults, or
 * cannot be reached, stops nobody, but the output says that nothing was checked.
 */
const faults = [...checkLicences(), ...(await Promise.all(LOCKED.map(checkAdvisories))).flat()];
for (const fault of faults) console.log(fault);
process.exitCode = faults.length > 0 ? 1 : 0;

function checkLicences(): string[] {
  return productionPackages()
    .filter(({ licence }) => !isAllowed(licence))
    .map(({ name, licence }) => `${name} has the licence "${licence}", which is not on the list of tools/check-packages.ts.`);
}

/** One of several licences to choose from, or all that apply together. */
function isAllowed(licence: string): boolean {
  return licence
    .replaceAll(/[()]/g, "")
    .split(" OR ")
    .some((one) => one.split(" AND ").every((each) => LICENCES.has(each)));
}

async function checkAdvisories(folder: string): Promise<string[]> {
  const audit = await readAudit(folder);
  if (audit.vulnerabilities === undefined) {
    const why = audit.message ?? "no answer";
    console.error(`NOT CHECKED for known faults: ${folder}/package-lock.json. The registry's list was not read: ${why}.`);
    return [];
  }
  const advisories = Object.entries(audit.vulnerabilities).flatMap(([name, { via }]) =>
    via.flatMap((one) => (typeof one === "string" || one.url in ACCEPTED ? [] : [{ ...one, name }])),
  );
  return advisories.map(
    ({ name, range, severity, title, url }) =>
      `${folder}/package-lock.json: ${name} ${range} has a known fault (${severity}): ${title} ${url}`,
  );
}

/** npm exits with 1 for faults and for errors; what it prints tells which. */
async function readAudit(folder: string): Promise<Audit> {
  const output = await promisify(execFile)("npm", ["audit", "--json", "--omit=dev"], {
    cwd: folder,
    timeout: LIMIT_MS,
    maxBuffer: 64 * 1024 * 1024,
  }).catch((error: { stdout?: string }) => ({ stdout: error.stdout ?? "" }));
  try {
    return JSON.parse(output.stdout) as Audit;
  } catch {
    return {};
  }
}
