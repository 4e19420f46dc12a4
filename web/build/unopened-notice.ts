import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Language } from "@farline/contract/languages.ts";
import { catalogue } from "@farline/texts/catalogue.ts";
import type { HtmlTagDescriptor, Plugin } from "vite";
import { fillText } from "../src/text/fill-text.ts";
import { directionOf } from "../src/text/language.ts";
import { floorNames } from "../src/browser/browser-floor.ts";

const STYLES = join(import.meta.dirname, "../src/styles/unopened.css");

/**
 * Puts into a page of the app what to do if the app does not open: in a browser that is too old, without JavaScript, or after a failed
 * script. It is text and styles in the page itself, so nothing that fails can keep it from being shown.
 */
export function unopenedNotice(languages: readonly Language[]): Plugin {
  const styles = readFileSync(STYLES, "utf8")
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
