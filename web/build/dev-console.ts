import type { Plugin } from "vite";

const CONSOLE = /^\/operator(?:[/?]|$)/;

/** Serves the operators' console from source at all its addresses, in the development server. */
export function devConsole(): Plugin {
  return {
    name: "farline-dev-console",
    apply: "serve",
    configureServer(server) {
      server.middlewares.use((request, _response, next) => {
        if (CONSOLE.test(request.url ?? "") && (request.headers.accept ?? "").includes("text/html")) {
          request.url = "/operator.html";
          request.headers.accept = "*/*";
        }
        next();
      });
    },
  };
}
