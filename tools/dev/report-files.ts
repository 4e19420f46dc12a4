import { registerHooks } from "node:module";
import { fileURLToPath } from "node:url";
import { RENDERER_FILE } from "../../web/build/dev-page-data.ts";

/**
 * Preloaded into the programs that `npm run dev` starts. It tells the supervisor which source files a program has loaded, so
 * that a change restarts only the programs that run it, and takes the place of the built renderer of the public pages.
 */
const pageData = new URL("./page-data.ts", import.meta.url).href;

// A child process of a program gets the same options, and nobody listens to it.
if (process.argv[1]?.endsWith("/src/main.ts"))
  registerHooks({
    resolve: (specifier, context, next) => next(specifier.endsWith(RENDERER_FILE) ? pageData : specifier, context),
    load(url, context, next) {
      if (url.startsWith("file:") && !url.includes("/node_modules/")) process.send?.({ loaded: fileURLToPath(url) });
      return next(url, context);
    },
  });
