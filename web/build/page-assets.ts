import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Manifest, Plugin } from "vite";

const ID = "virtual:page-assets";
const RESOLVED = `\0${ID}`;
const FONT = /geologica-latin-shrp-normal.*\.woff2$/;

/** Tells the page renderer the names of the files that the browser's build made. It must be built after it. */
export function pageAssets(browserBuild: string): Plugin {
  return {
    name: "farline-page-assets",
    resolveId: (id) => (id === ID ? RESOLVED : null),
    load(id) {
      if (id !== RESOLVED) return null;
      const manifest = JSON.parse(readFileSync(join(browserBuild, ".vite/manifest.json"), "utf8")) as Manifest;
      const entry = (source: string) => {
        const chunk = manifest[source];
        if (chunk === undefined) throw new Error(`The browser's build has no ${source}.`);
        return chunk;
      };
      const [start, app] = [entry("src/public/start.ts"), entry("index.html")];
      const font = Object.values(manifest).find(({ file }) => FONT.test(file));
      const files = {
        gate: `/${entry("src/public/session-gate.ts").file}`,
        start: `/${start.file}`,
        styles: (start.css ?? []).map((file) => `/${file}`),
        font: font === undefined ? null : `/${font.file}`,
        appScript: `/${app.file}`,
        appStyle: app.css?.[0] === undefined ? null : `/${app.css[0]}`,
      };
      return `export const files = ${JSON.stringify(files)};`;
    },
  };
}
