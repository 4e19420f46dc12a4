import type { Plugin } from "vite";

/** The parts of Zod that turn a schema into a JSON schema. A browser only reads answers by its schemas. */
const JSON_SCHEMA = /node_modules\/zod\/v4\/core\/(to-json-schema|json-schema-processors)\.js$/;

/** Zod's sentences about what is wrong. The service writes those that people read; the browser only asks whether. */
const SENTENCES = /node_modules\/zod\/v4\/locales\/en\.js$/;

/** Of React Router what fetches pages ahead for its own servers; without one of those its links never ask for it. */
const FETCH_AHEAD = /node_modules\/react-router\/dist\/\w+\/lib\/dom\/ssr\/links\.js$/;

/**
 * Leaves out of the browser's files what packages bring along and no page uses: of Zod its sentences, and the writing of JSON
 * schemas, whose functions every schema names and none calls; of React Router the fetching ahead; of the numbering plans the tables that tell mobile from landline, which the
 * service looks up. Numbers are read alike by the small tables (domain/src/numbers/number-tables.test.ts).
 */
export function leanerPackages(): Plugin {
  return {
    name: "leaner-packages",
    enforce: "pre",
    resolveId(source, importer, options) {
      if (source !== "libphonenumber-js/max") return null;
      return this.resolve("libphonenumber-js/min", importer, { ...options, skipSelf: true });
    },
    transform(code, id) {
      if (SENTENCES.test(id)) return { code: 'export default () => ({ localeError: () => "Invalid" });', map: null };
      if (FETCH_AHEAD.test(id)) return { code: exportedList(code).map(emptyFunction).join("\n"), map: null };
      if (!JSON_SCHEMA.test(id)) return null;
      const names = new Set([...code.matchAll(/^export (?:const |function |\{ \w+ as )(\w+)/gm)].map(([, name]) => name));
      return { code: [...names].map(emptyFunction).join("\n"), map: null };
    },
  };
}

/** The names of the one `export { … }` at a file's end. */
function exportedList(code: string): string[] {
  const [, list = ""] = /^export \{ (.+) \};$/m.exec(code) ?? [];
  return list.split(", ").filter((name) => name !== "");
}

function emptyFunction(name = ""): string {
  return `export const ${name} = () => ({});`;
}
