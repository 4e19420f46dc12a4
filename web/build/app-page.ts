import { join } from "node:path";
import { languages } from "@farline/domain/languages.ts";
import type { Language } from "@farline/contract/languages.ts";
import { type HtmlTagDescriptor, type Plugin, type Rollup, runnerImport } from "vite";
import { flagsFolder } from "./images.ts";
import { classNamesOnly, styleModules } from "./styles.ts";
import { directionOf } from "../src/text/language.ts";
import { readFileSync } from "node:fs";
import { catalogue } from "@farline/texts/catalogue.ts";
import { fillText } from "../src/text/fill-text.ts";
import { floorNames } from "../src/browser/browser-floor.ts";
import type { drawnPages } from "@farline/contract/constants.ts";

const SOURCE = join(import.meta.dirname, "../src/app/frame/render-shell.tsx");
const PAGE = "index.html";
const EMPTY = { root: '<div id="root"></div>', html: '<html lang="en">' };
const FIRST_SCRIPT = '<script type="module"';
const STYLESHEET = /\s*<link rel="stylesheet"[^>]* href="\/([^"]+)">/g;
/** The tags that request scripts. The page is drawn without them, so its font and images come first. */
const SCRIPTS = /<script type="module"|<link rel="modulepreload"/g;

type Drawn = (typeof drawnPages)[keyof typeof drawnPages][number];

/** The pages that are drawn whole, by address: the sources of what each loads beside the entry's files. */
const PAGES: Record<Drawn, { readonly page: string; readonly texts: readonly string[] }> = {
  "/dialer": { page: "dialer/dialer-page.tsx", texts: ["dialer"] },
  "/history": { page: "history/history-page.tsx", texts: ["history"] },
  "/contacts": { page: "contacts/contacts-page.tsx", texts: ["contacts", "places"] },
  "/topup": { page: "billing/top-up/top-up-page.tsx", texts: ["billing"] },
  "/login": { page: "auth/login-page.tsx", texts: ["auth"] },
  "/register": { page: "auth/register-page.tsx", texts: ["auth"] },
};

/**
 * Builds the app's page as it looks before its scripts have loaded, for each language: `shell/<language>.html` with the frame of
 * the signed-in pages, and `shell/<language>-<page>.html` with a page in it. Their styles are in the page, so that it is drawn as
 * soon as it has arrived. They name their language themselves, because the browser may choose another for the app, which replaces them by
 * the same components with data. Until then the dialer's keys, its number field and the visitors' forms take what is typed
 * (`web/src/browser/drawn-page.ts`).
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
        for (const part of [...Object.values(EMPTY), FIRST_SCRIPT])
          if (!html.includes(part)) throw new Error(`${PAGE} has no ${part}.`);
        // The drawn page has no other tabs, and an open channel would keep this process from ending.
        Reflect.deleteProperty(globalThis, "BroadcastChannel");
        const { module } = await runnerImport<{ renderShell(language: Language): Record<"" | Drawn, string> }>(SOURCE, {
          configFile: false,
          logLevel: "warn",
          // The styles come with the page.
          plugins: [classNamesOnly()],
          css: { modules: styleModules },
          define: { __FLAGS_FOLDER__: JSON.stringify(flagsFolder) },
          build: { assetsInlineLimit: 0 },
        });
        for (const language of languages) {
          const writing = `lang="${language}" dir="${directionOf(language)}"`;
          const emit = (name: string, body: string, head: string): void => {
            const source = html
              .replace(EMPTY.html, `<html ${writing}>`)
              .replace(FIRST_SCRIPT, () => `${head}${FIRST_SCRIPT}`)
              .replace(SCRIPTS, (tag) => `${tag} fetchpriority="low"`)
              .replace(EMPTY.root, () => `<div id="root" data-shell ${writing}>${withBuiltAssets(body, bundle)}</div>`);
            this.emitFile({ type: "asset", fileName: `shell/${name}.html`, source: withStyles(source, bundle) });
          };
          const { "": frame, ...pages } = module.renderShell(language);
          emit(language, frame, "");
          for (const [path, { page: source, texts }] of Object.entries(PAGES)) {
            const sources = [`web/src/features/${source}`, ...textFiles(language, texts)];
            emit(`${language}${path.replace("/", "-")}`, pages[path as Drawn], pageFiles(sources, bundle, html));
          }
        }
      },
    },
  };
}

const textFiles = (language: Language, texts: readonly string[]): string[] =>
  [...texts, "common", "service"].map((name) => `texts/${language}/${name}.json`);

/** Links to what a page loads beside the entry's files: its styles, its scripts and its texts. */
function pageFiles(sources: readonly string[], bundle: Rollup.OutputBundle, html: string): string {
  const styles = new Set<string>();
  const scripts = new Set<string>();
  const take = (file: string): void => {
    const output = bundle[file];
    if (output?.type !== "chunk" || scripts.has(file)) return;
    scripts.add(file);
    for (const style of output.viteMetadata?.importedCss ?? []) styles.add(style);
    for (const next of output.imports) take(next);
  };
  for (const output of Object.values(bundle))
    if (output.type === "chunk" && sources.some((source) => output.facadeModuleId?.endsWith(source))) take(output.fileName);
  const missing = (files: Iterable<string>): string[] => [...files].filter((file) => !html.includes(`"/${file}"`));
  return [
    ...missing(styles).map((file) => `<link rel="stylesheet" crossorigin href="/${file}">`),
    ...missing(scripts).map((file) => `<link rel="modulepreload" crossorigin href="/${file}">`),
  ].join("\n");
}

/**
 * Puts the styles into the page. Their disabled links are not requested, and tell the loader of the app's parts that the page has
 * them.
 */
function withStyles(html: string, bundle: Rollup.OutputBundle): string {
  const styles: string[] = [];
  const linked = html.replace(STYLESHEET, (tag, file: string) => {
    const sheet = bundle[file];
    if (sheet?.type !== "asset") throw new Error(`The build has no ${file}.`);
    styles.push(sheet.source.toString().trim());
    return tag.replace("<link", "<link disabled");
  });
  return linked.replace("</title>", () => `</title>\n    <style>${styles.join("\n")}</style>`);
}

/** Replaces the addresses of source files by those of the build. */
function withBuiltAssets(html: string, bundle: Rollup.OutputBundle): string {
  let built = html;
  for (const output of Object.values(bundle))
    if (output.type === "asset")
      for (const original of output.originalFileNames) built = built.replaceAll(`"/${original}"`, `"/${output.fileName}"`);
  return built;
}

const NOTICE_STYLES = join(import.meta.dirname, "../src/styles/unopened.css");

/**
 * Puts into a page of the app what to do if the app does not open: in a browser that is too old, without JavaScript, or after a failed
 * script. It is text and styles in the page itself, so nothing that fails can keep it from being shown.
 */
export function unopenedNotice(languages: readonly Language[]): Plugin {
  const styles = readFileSync(NOTICE_STYLES, "utf8")
    .replaceAll(/\/\*[^]*?\*\//g, "")
    .replaceAll(/\s+/g, " ")
    .trim();
  return {
    name: "farline-unopened-notice",
    transformIndexHtml: {
      order: "post",
      handler: () => [{ tag: "style", injectTo: "head", children: styles }, notice(languages)],
    },
  };
}

function notice(languages: readonly Language[]): HtmlTagDescriptor {
  return {
    tag: "div",
    injectTo: "body-prepend",
    attrs: { "data-unopened": "app" },
    children: languages.map((language) => ({
      tag: "p",
      attrs: { lang: language, dir: directionOf(language) },
      children: fillText(catalogue(language, "public").unopened, floorNames),
    })),
  };
}

const STYLE_LINKS = /\s*<link rel="stylesheet"[^>]*>/g;

/** Requests the styles before the scripts. A browser opens six connections, which the scripts would fill first. */
export function stylesFirst(): Plugin {
  return {
    name: "farline-styles-first",
    apply: "build",
    transformIndexHtml: {
      order: "post",
      handler(html) {
        const styles = html.match(STYLE_LINKS) ?? [];
        return html
          .replace(STYLE_LINKS, "")
          .replace(FIRST_SCRIPT, () => `${styles.map((tag) => tag.trim()).join("\n    ")}\n    ${FIRST_SCRIPT}`);
      },
    },
  };
}
