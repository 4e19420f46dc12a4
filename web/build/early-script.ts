import { createHash } from "node:crypto";
import type { Plugin } from "vite";
import { bundleScript } from "./bundle-script.ts";

const SOURCE = "src/early.ts";
const DEVELOPMENT_PATH = "/early.js";

/** Adds the script that runs before the first paint to the head, as a file: the content security policy forbids inline code. */
export function earlyScript(): Plugin {
  let path = DEVELOPMENT_PATH;
  return {
    name: "farline-early-script",
    async generateBundle() {
      const code = await bundleScript(SOURCE);
      path = `/assets/early-${createHash("sha256").update(code).digest("base64url").slice(0, 8)}.js`;
      this.emitFile({ type: "asset", fileName: path.slice(1), source: code });
    },
    transformIndexHtml: {
      order: "post",
      handler: () => [{ tag: "script", injectTo: "head-prepend", attrs: { src: path } }],
    },
    configureServer(server) {
      server.middlewares.use(DEVELOPMENT_PATH, async (_request, response) => {
        const code = await bundleScript(SOURCE);
        response.setHeader("Content-Type", "text/javascript");
        response.end(code);
      });
    },
  };
}
