import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Manifest, Plugin } from "vite";

const ID = "virtual:page-assets";
const RESOLVED = `\0${ID}`;
const FONT = /geologica-latin-shrp-normal.*\.woff2$/;

/** A page's files when it is served from source. */
const SOURCES = { start: ["/src/public/start.ts"], styles: [], font: null, islands: ["/src/public/hydrate-islands.tsx"] };

/** Passes the names of the browser's files to the page renderer: from the browser build, or the sources in development. */
export function pageAssets(browserBuild: string): Plugin {
  let development = false;
  return {
    configResolved: ({ command }) => void (development = command === "serve"),
    name: "farline-page-assets",
    resolveId: (id) => (id === ID ? RESOLVED : null),
    load(id) {
      if (id !== RESOLVED) return null;
      if (development) return `export const files = ${JSON.stringify(SOURCES)};`;
      const manifest = JSON.parse(readFileSync(join(browserBuild, ".vite/manifest.json"), "utf8")) as Manifest;
      const font = Object.values(manifest).find(({ file }) => FONT.test(file));
      const files = {
        start: withImports(manifest, "src/public/start.ts"),
        font: font === undefined ? null : `/${font.file}`,
        // Without this entry's stylesheets: the page already has them.
        islands: withImports(manifest, "src/public/hydrate-islands.tsx"),
      };
      return `export const files = ${JSON.stringify(files)};`;
    },
  };
}

/** A file preceded by its transitive imports, in execution order. */
function withImports(manifest: Manifest, source: string): readonly string[] {
  const seen = new Set<string>();
  const files: string[] = [];
  const take = (key: string): void => {
    const chunk = manifest[key];
    if (chunk === undefined) throw new Error(`The browser's build has no ${key}.`);
    if (seen.has(key)) return;
    seen.add(key);
    for (const next of chunk.imports ?? []) take(next);
    files.push(`/${chunk.file}`);
  };
  take(source);
  return files;
}
