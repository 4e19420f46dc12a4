import type { Plugin } from "vite";
import { bundleScript } from "./bundle-script.ts";

const SOURCE = "src/early.ts";
const DEVELOPMENT_PATH = "/early.js";

/**
 * Adds the script that runs before the first paint to the head. It is inline, because a file would be a round trip in which the page
 * is blank; the service allows it by its hash (`server/src/pages/security-headers.ts`). In development it is a file.
 */
export function earlyScript(): Plugin {
  let code = "";
  return {
    name: "farline-early-script",
    async generateBundle() {
      code = (await bundleScript(SOURCE)).trim();
      if (code.includes("</script")) throw new Error(`${SOURCE} would end its own element.`);
    },
    transformIndexHtml: {
      order: "post",
      handler: (_html, { server }) => [
        {
          tag: "script",
          injectTo: "head-prepend",
          ...(server === undefined ? { children: code } : { attrs: { src: DEVELOPMENT_PATH } }),
        },
      ],
    },
    configureServer(server) {
      server.middlewares.use(DEVELOPMENT_PATH, async (_request, response) => {
        response.setHeader("Content-Type", "text/javascript");
        response.end(await bundleScript(SOURCE));
      });
    },
  };
}
