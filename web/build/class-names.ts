import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type Plugin, preprocessCSS, type ResolvedConfig } from "vite";

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
