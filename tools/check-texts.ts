import { globSync, readFileSync } from "node:fs";
import { basename } from "node:path";

/** Every text key the web app asks for must be in the English catalogue, and every key there must be asked for. */
type Catalogue = { readonly [key: string]: string | Catalogue };

const known = new Map<string, string>();
for (const file of globSync("web/src/locales/en/*.json")) {
  const namespace = basename(file, ".json");
  for (const key of keysOf(JSON.parse(readFileSync(file, "utf8")) as Catalogue)) known.set(`${namespace}:${key}`, file);
}

const sources = globSync("web/src/**/*.{ts,tsx}").filter((file) => !file.includes(".test."));
const texts = sources.map((file) => readFileSync(file, "utf8"));
const everything = texts.join("\n");
const asked = new Set<string>();
let wrong = 0;

for (const [index, text] of texts.entries()) {
  const namespaces = [...text.matchAll(/useTranslation\(\s*\[?([^)\]]*)/g)].flatMap(([, list = ""]) =>
    [...list.matchAll(/"([\w-]+)"/g)].map(([, name = ""]) => name),
  );
  for (const [, key = ""] of text.matchAll(/\bt\(\s*"([^"]+)"/g)) {
    const candidates = key.includes(":")
      ? [key]
      : (namespaces.length > 0 ? namespaces : ["common"]).map((name) => `${name}:${key}`);
    const found = candidates.filter((full) => isKnown(full));
    if (found.length === 0) {
      wrong += 1;
      console.log(`${sources[index]} asks for the text "${key}", which no catalogue has.`);
    }
    for (const full of found) asked.add(full);
  }
}

for (const [full, file] of known) {
  const key = full.split(":")[1] ?? "";
  const stem = key.replace(/_(zero|one|two|few|many|other)$/, "");
  const mentioned =
    asked.has(`${full.split(":")[0]}:${stem}`) ||
    asked.has(full) ||
    everything.includes(`"${stem}"`) ||
    everything.includes(`${stem.slice(0, stem.lastIndexOf(".") + 1)}$`);
  if (!mentioned) {
    wrong += 1;
    console.log(`${file} has the text "${key}", which nothing asks for.`);
  }
}
if (wrong > 0) process.exitCode = 1;

function isKnown(full: string): boolean {
  return known.has(full) || known.has(`${full}_one`) || known.has(`${full}_other`);
}

function keysOf(catalogue: Catalogue, prefix = ""): string[] {
  return Object.entries(catalogue).flatMap(([key, value]) =>
    typeof value === "string" ? [`${prefix}${key}`] : keysOf(value, `${prefix}${key}.`),
  );
}
