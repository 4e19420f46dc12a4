import type { Plugin } from "vite";

/** Adds a preload for one font file to the page, with the file's hashed name. */
export function preloadFont(name: string): Plugin {
  return {
    name: "farline-preload-font",
    transformIndexHtml: {
      order: "post",
      handler(_html, { bundle }) {
        const file = Object.keys(bundle ?? {}).find((path) => path.includes(name) && path.endsWith(".woff2"));
        if (file === undefined) return [];
        const attrs = { rel: "preload", as: "font", type: "font/woff2", crossorigin: true, href: `/${file}` };
        return [{ tag: "link", injectTo: "head-prepend" as const, attrs }];
      },
    },
  };
}
