import { mkdirSync, writeFileSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import type { CSSModulesOptions } from "vite";

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
