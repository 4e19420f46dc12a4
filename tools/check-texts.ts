import { existsSync, globSync, readdirSync, readFileSync } from "node:fs";
import { basename, dirname } from "node:path";

/**
 * Every text key that the code uses must be in the English catalogue, and every key there must be used. Every other
 * language has the same keys, each in its own plural forms, with the same placeholders.
 */
type Catalogue = { readonly [key: string]: string | Catalogue };

const LOCALES = "texts";
/** The default namespaces of the app and of the public pages: keys in them need no prefix. */
const DEFAULT_NAMESPACES = ["common", "public"];
/** Looked up by computed key, which the compiler checks: the code names no key. */
const READ_AS_A_WHOLE = new Set(["mail", "documents", "cities", "places"]);
/** Operators read English. */
const ENGLISH_ONLY = new Set(["operator.json"]);
/** A place that a sentence names, without its article. */
const LACKS_ARTICLE = /\b(to|in|for|from|of|with|call|and) \{\{(country|place|city)\}\}/i;
/** Key suffixes that i18next chooses by number: the plural categories of Unicode CLDR. */
const PLURAL = /_(zero|one|two|few|many|other)$/;
/** Plural forms for one number only, which may spell it out instead of using the placeholder. */
const SPELLED_OUT = new Set(["zero", "one", "two"]);

const known = new Map<string, string>();
for (const file of globSync(`${LOCALES}/en/*.json`)) {
  const namespace = basename(file, ".json");
  if (READ_AS_A_WHOLE.has(namespace)) continue;
  for (const key of textsOf(readCatalogue(file)).keys()) known.set(`${namespace}:${key}`, file);
}

const sources = globSync(["web/src/**/*.{ts,tsx}", "{contract,domain,server}/src/**/*.ts", "texts/*.ts"]).filter(
  (file) => !file.includes(".test."),
);
const texts = sources.map((file) => readFileSync(file, "utf8"));
const everything = texts.join("\n");
const asked = new Set<string>();
let wrong = 0;

for (const [index, text] of texts.entries()) {
  const namespaces = [...text.matchAll(/(?:useTranslation|getFixedT)\(\s*\[?([^)\]]*)/g)].flatMap(([, list = ""]) =>
    [...list.matchAll(/"([\w-]+)"/g)].map(([, name = ""]) => name),
  );
  for (const [, key = ""] of text.matchAll(/\bt\(\s*"([^"]+)"/g)) {
    const candidates = key.includes(":") ? [key] : [...namespaces, ...DEFAULT_NAMESPACES].map((name) => `${name}:${key}`);
    const found = candidates.filter((full) => isKnown(full));
    if (found.length === 0) {
      wrong += 1;
      console.log(`${sources[index]} uses the text "${key}", which is in no catalogue.`);
    }
    for (const full of found) asked.add(full);
  }
}

/** Computed keys, such as "terms.${term}.title", as patterns: each placeholder matches one part of the key. */
const shapes = [...everything.matchAll(/`(?:[\w-]+:)?([^`\n]*\$\{[^`\n]*)`/g)]
  .map(([, template = ""]) => template.replace(/\$\{[^}]*\}/g, "*"))
  .filter((template) => /^[\w.*-]+$/.test(template) && /\w/.test(template))
  .map((template) => new RegExp(`^${template.replaceAll(".", "\\.").replaceAll("*", "[\\w-]+")}$`));

for (const [full, file] of known) {
  const key = full.split(":")[1] ?? "";
  const stem = key.replace(PLURAL, "");
  const mentioned =
    asked.has(`${full.split(":")[0]}:${stem}`) ||
    asked.has(full) ||
    everything.includes(`"${stem}"`) ||
    everything.includes(`"${full.split(":")[0]}.${stem}"`) ||
    shapes.some((shape) => shape.test(stem));
  if (!mentioned) {
    wrong += 1;
    console.log(`${file} has the text "${key}", which nothing uses.`);
  }
}

const others = readdirSync(LOCALES).filter((name) => /^\w{2}$/.test(name) && name !== "en");
const files = readdirSync(`${LOCALES}/en`).filter((file) => !ENGLISH_ONLY.has(file));
for (const language of others) for (const file of files) checkTranslation(language, file);
for (const file of globSync(`${LOCALES}/fr/*.json`)) checkFrenchSpaces(file);
for (const file of globSync(`${LOCALES}/*/*.json`)) checkArticles(file);
if (wrong > 0) process.exitCode = 1;

function checkTranslation(language: string, file: string): void {
  const path = `${LOCALES}/${language}/${file}`;
  if (!existsSync(path)) return report(path, "does not exist.");
  const english = textsOf(readCatalogue(`${LOCALES}/en/${file}`));
  const own = textsOf(readCatalogue(path));
  const wanted = wantedKeys(english, new Intl.PluralRules(language).resolvedOptions().pluralCategories);
  for (const key of own.keys()) if (!wanted.has(key)) report(path, `has the text "${key}", which ${language} does not need.`);
  for (const [key, source] of wanted) {
    const text = own.get(key);
    if (text === undefined) report(path, `lacks the text "${key}".`);
    else if (text.trim() === "") report(path, `has an empty text "${key}".`);
    else checkValues(path, key, { source, text });
  }
}

/** French needs a no-break space (U+00A0) before these marks, so that no line starts with one. */
function checkFrenchSpaces(file: string): void {
  for (const [index, line] of readFileSync(file, "utf8").split("\n").entries())
    if (/ [?!;:»%$]|« /.test(line)) report(`${file}:${index + 1}`, "has a plain space where French has a no-break space.");
}

/** English says "to the United States": a sentence asks for the article, and only English ones do. */
function checkArticles(file: string): void {
  const isEnglish = dirname(file) === `${LOCALES}/en`;
  for (const [key, text] of textsOf(readCatalogue(file))) {
    if (isEnglish && LACKS_ARTICLE.test(text)) report(file, `lacks ", the" after a place in "${key}".`);
    if (!isEnglish && text.includes(", the}}")) report(file, `asks for an English article in "${key}".`);
  }
}

/** The keys that a language must have, each with its English text. */
function wantedKeys(english: ReadonlyMap<string, string>, categories: readonly string[]): Map<string, string> {
  const wanted = new Map<string, string>();
  for (const [key, text] of english) {
    if (!PLURAL.test(key)) wanted.set(key, text);
    else if (key.endsWith("_other")) for (const category of categories) wanted.set(key.replace(PLURAL, `_${category}`), text);
  }
  return wanted;
}

/** A translation must use the same placeholders and marks as the English text. */
function checkValues(path: string, key: string, { source, text }: { source: string; text: string }): void {
  const [wanted, own] = [valuesIn(source), valuesIn(text)];
  const extra = [...own].filter((value) => !wanted.has(value));
  const missing = [...wanted].filter(
    (value) => !own.has(value) && !(isCount(value) && SPELLED_OUT.has(PLURAL.exec(key)?.[1] ?? "")),
  );
  if (extra.length > 0) report(path, `uses ${extra.join(", ")} in "${key}", which the English text does not.`);
  if (missing.length > 0) report(path, `does not use ${missing.join(", ")} in "${key}".`);
}

function isCount(value: string): boolean {
  return value === "count" || value === "formatted";
}

function valuesIn(text: string): Set<string> {
  return new Set([...text.matchAll(/(?<=\{\{\s*)[\w.]+|<\/?\w+>/g)].map(([value]) => value));
}

function report(path: string, what: string): void {
  wrong += 1;
  console.log(`${path} ${what}`);
}

function isKnown(full: string): boolean {
  return known.has(full) || known.has(`${full}_one`) || known.has(`${full}_other`);
}

function readCatalogue(file: string): Catalogue {
  return JSON.parse(readFileSync(file, "utf8")) as Catalogue;
}

/** Every text by its key, for example "nav.menu". */
function textsOf(catalogue: Catalogue, prefix = ""): Map<string, string> {
  return new Map(
    Object.entries(catalogue).flatMap(([key, value]): [string, string][] =>
      typeof value === "string" ? [[`${prefix}${key}`, value]] : [...textsOf(value, `${prefix}${key}.`)],
    ),
  );
}
