import { registerHooks } from "node:module";
import { fileURLToPath } from "node:url";

/** The built renderer, which the service loads except in development. */
const RENDERER_FILE = "/web/renderer/dist/server-entry.js";

/**
 * Preloaded into the programs that `npm run dev` starts. Reports the source files a program has loaded to the supervisor, so
 * that a change restarts only the programs that run it, and replaces the built renderer of the public pages.
 */
const pageData = new URL("./page-data.ts", import.meta.url).href;

// A program's child processes are started with the same options, but do not report.
if (process.argv[1]?.endsWith("/src/main.ts"))
  registerHooks({
    resolve: (specifier, context, next) => next(specifier.endsWith(RENDERER_FILE) ? pageData : specifier, context),
    load(url, context, next) {
      if (url.startsWith("file:") && !url.includes("/node_modules/")) process.send?.({ loaded: fileURLToPath(url) });
      return next(url, context);
    },
  });
