import { createHash } from "node:crypto";
import type { HtmlTagDescriptor, Plugin, Rollup } from "vite";
import { bundleScript } from "./bundle-script.ts";

interface OpeningScript {
  readonly name: string;
  readonly source: string;
  /** `head-prepend`: before anything is painted. `body`: behind the place of the app. */
  readonly injectTo: "head-prepend" | "body";
}

const SCRIPTS: readonly OpeningScript[] = [
  { name: "early", source: "src/early.ts", injectTo: "head-prepend" },
  { name: "opening", source: "src/opening.ts", injectTo: "body" },
];
const ENTRY = /<script type="module" crossorigin src="([^"]+)"><\/script>/;
/** The page that is outlined before the app is there. */
const OUTLINED = "features/dialer/dialer-page.tsx";
const PRELOADED = /<link rel="modulepreload" crossorigin href="([^"]+)">/g;

/**
 * Puts the scripts that run before the app into the page, as files: inline code is forbidden. In the build the last of
 * them starts the app's own files, which the page only fetches, behind what the outline needs; and it fetches those of the
 * page that it outlines.
 */
export function openingScripts(): Plugin {
  const paths = new Map(SCRIPTS.map(({ name }) => [name, `/${name}.js`]));
  return {
    name: "farline-opening-scripts",
    async generateBundle() {
      for (const { name, source } of SCRIPTS) {
        const code = await bundleScript(source);
        const path = `/assets/${name}-${createHash("sha256").update(code).digest("base64url").slice(0, 8)}.js`;
        paths.set(name, path);
        this.emitFile({ type: "asset", fileName: path.slice(1), source: code });
      }
    },
    transformIndexHtml: {
      order: "post",
      handler(html, { server, bundle = {} }) {
        const tags = SCRIPTS.map(({ name, injectTo }): HtmlTagDescriptor => ({
          tag: "script",
          injectTo,
          attrs: { src: paths.get(name) },
        }));
        if (server !== undefined) return tags;
        const [tag = "", entry] = ENTRY.exec(html) ?? [];
        if (entry === undefined) throw new Error("The page has no script of the app.");
        const files = [...[...html.matchAll(PRELOADED)].map(([, file]) => file), entry];
        const ofPage = filesOfPage(bundle).filter((file) => !html.includes(file));
        Object.assign(tags.at(-1)?.attrs ?? {}, { "data-files": files.join(" "), "data-page-files": ofPage.join(" ") });
        const fetched = html.replace(tag, `<link rel="modulepreload" crossorigin href="${entry}">`);
        return { html: fetched.replaceAll('<link rel="modulepreload"', '<link rel="modulepreload" fetchpriority="low"'), tags };
      },
    },
    configureServer(server) {
      for (const { name, source } of SCRIPTS)
        server.middlewares.use(`/${name}.js`, async (_request, response) => {
          const code = await bundleScript(source);
          response.setHeader("Content-Type", "text/javascript");
          response.end(code);
        });
    },
  };
}

/** The outlined page's chunk with all that it imports, and the styles of these. */
function filesOfPage(bundle: Rollup.OutputBundle): string[] {
  const chunks = Object.values(bundle).filter((output) => output.type === "chunk");
  const page = chunks.find(({ facadeModuleId }) => facadeModuleId?.endsWith(OUTLINED));
  if (page === undefined) throw new Error(`The build has no chunk of ${OUTLINED}.`);
  const files = new Set<string>();
  const take = (file: string): void => {
    if (files.has(file)) return;
    files.add(file);
    const chunk = chunks.find(({ fileName }) => fileName === file);
    for (const next of [...(chunk?.imports ?? []), ...(chunk?.viteMetadata?.importedCss ?? [])]) take(next);
  };
  take(page.fileName);
  return [...files].map((file) => `/${file}`);
}
