import { join } from "node:path";
import { languages } from "@farline/domain/languages.ts";
import type { Language } from "@farline/contract/languages.ts";
import { type Plugin, type Rollup, runnerImport } from "vite";
import { classNamesOnly } from "./class-names.ts";
import { styleModules } from "./style-modules.ts";
import { directionOf } from "../src/text/language.ts";

const SOURCE = join(import.meta.dirname, "../src/app/frame/render-shell.tsx");
const PAGE = "index.html";
const EMPTY = { root: '<div id="root"></div>', html: '<html lang="en">' };

/**
 * Builds the app's page with the frame of the signed-in pages in it, `shell/<language>.html` for each language. The app replaces
 * the frame by the same components with data; until then its controls are inert.
 */
export function shellPages(): Plugin {
  return {
    name: "farline-shell-pages",
    apply: "build",
    generateBundle: {
      order: "post",
      async handler(_options, bundle) {
        const page = bundle[PAGE];
        if (page?.type !== "asset") throw new Error(`The build has no ${PAGE}.`);
        const html = page.source.toString();
        for (const part of Object.values(EMPTY)) if (!html.includes(part)) throw new Error(`${PAGE} has no ${part}.`);
        const { module } = await runnerImport<{ renderShell(language: Language): string }>(SOURCE, {
          configFile: false,
          logLevel: "warn",
          // The styles come with the page.
          plugins: [classNamesOnly()],
          css: { modules: styleModules },
          build: { assetsInlineLimit: 0 },
        });
        for (const language of languages) {
          const frame = withBuiltAssets(module.renderShell(language), bundle);
          const source = html
            .replace(EMPTY.html, `<html lang="${language}" dir="${directionOf(language)}">`)
            .replace(EMPTY.root, () => `<div id="root"><div inert>${frame}</div></div>`);
          this.emitFile({ type: "asset", fileName: `shell/${language}.html`, source });
        }
      },
    },
  };
}

/** Replaces the addresses of source files by those of the build. */
function withBuiltAssets(html: string, bundle: Rollup.OutputBundle): string {
  let built = html;
  for (const output of Object.values(bundle))
    if (output.type === "asset")
      for (const original of output.originalFileNames) built = built.replaceAll(`"/${original}"`, `"/${output.fileName}"`);
  return built;
}
