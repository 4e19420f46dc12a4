import { once } from "node:events";
import { createServer as createHttpServer } from "node:http";
import { createServer } from "vite";
import { devConsole } from "./dev-console.ts";
import { devPages } from "./dev-pages.ts";
import { devTexts } from "./dev-texts.ts";
import { pageAssets } from "./page-assets.ts";

/** Addresses of the service that are not pages. */
const SERVICE_PATHS = ["/api", "/robots.txt", "/sitemap.xml"];

export interface DevServer {
  close(): Promise<void>;
}

/**
 * The web app in development: served from source and updated in the open page. Everything else is proxied to the service.
 */
export async function startDevServer(options: { host: string; port: number; serviceOrigin: string }): Promise<DevServer> {
  const { host, port, serviceOrigin } = options;
  const server = createHttpServer();
  const proxy = Object.fromEntries(SERVICE_PATHS.map((path) => [path, { target: serviceOrigin, xfwd: true }]));
  const vite = await createServer({
    configFile: new URL("../vite.config.ts", import.meta.url).pathname,
    plugins: [devConsole(), devPages(serviceOrigin), devTexts(), pageAssets("")],
    logLevel: "warn",
    clearScreen: false,
    // In middleware mode Vite leaves signals to the supervisor.
    server: { middlewareMode: true, ws: { server }, proxy },
  });
  server.on("request", vite.middlewares);
  server.listen(port, host);
  await once(server, "listening");
  return {
    async close() {
      server.closeAllConnections();
      server.close();
      await vite.close();
    },
  };
}
