import { mkdirSync, writeFileSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { type CSSModulesOptions, type Plugin, preprocessCSS, type ResolvedConfig } from "vite";
import { readFile } from "node:fs/promises";

const SOURCES = join(import.meta.dirname, "../src");
const TYPES = join(import.meta.dirname, "../style-types");
const SUFFIX = ".module.css";

const files = new Map<string, string>();

/**
 * A class is named after its file, so that all builds agree: `.label` in `ui/button.module.css` is `button_label`. Building also
 * writes each module's type, so that the name of a missing class does not compile.
 */
export const styleModules: CSSModulesOptions = {
  generateScopedName(name, path) {
    const file = basename(path, SUFFIX);
    const first = files.get(file) ?? path;
    if (first !== path) throw new Error(`${first} and ${path} need different names, because their classes are named after them.`);
    files.set(file, path);
    return `${file}_${name}`;
  },
  getJSON(path, classes) {
    const types = join(TYPES, `${relative(SOURCES, path)}.d.ts`);
    mkdirSync(dirname(types), { recursive: true });
    writeFileSync(
      types,
      Object.keys(classes)
        .map((name) => `export const ${name}: string;\n`)
        .join(""),
    );
  },
};

const PREFIX = "\0class-names:";

/** Loads the names of the classes without the styles, for where nothing is shown: the frame in the app's page, component tests. */
export function classNamesOnly(): Plugin {
  let config: ResolvedConfig;
  return {
    name: "farline-class-names",
    enforce: "pre",
    configResolved: (resolved) => void (config = resolved),
    resolveId: (id, importer = "") => (/^\..*\.css$/.test(id) ? `${PREFIX}${join(dirname(importer), id)}.js` : null),
    async load(id) {
      if (!id.startsWith(PREFIX)) return null;
      const file = id.slice(PREFIX.length, -".js".length);
      const { modules = {} } = await preprocessCSS(await readFile(file, "utf8"), file, config);
      return Object.entries(modules)
        .map(([name, scoped]) => `export const ${name} = ${JSON.stringify(scoped)};`)
        .join("\n");
    },
  };
}
