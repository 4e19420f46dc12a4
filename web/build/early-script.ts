import { createHash } from "node:crypto";
import type { Plugin } from "vite";
import { bundleScript } from "./bundle-script.ts";

const SOURCE = "src/early.ts";
const DEV_PATH = "/early.js";

/** Puts the script that must run before anything is painted into the page's head, as a file: inline code is forbidden. */
export function earlyScript(): Plugin {
  let path = DEV_PATH;
  return {
    name: "farline-early-script",
    async generateBundle() {
      const code = await bundleScript(SOURCE);
      path = `/assets/early-${createHash("sha256").update(code).digest("base64url").slice(0, 8)}.js`;
      this.emitFile({ type: "asset", fileName: path.slice(1), source: code });
    },
    transformIndexHtml: {
      order: "post",
      handler: () => [{ tag: "script", injectTo: "head-prepend" as const, attrs: { src: path } }],
    },
    configureServer(server) {
      server.middlewares.use(DEV_PATH, async (_request, response) => {
        const code = await bundleScript(SOURCE);
        response.setHeader("Content-Type", "text/javascript");
        response.end(code);
      });
    },
  };
}
