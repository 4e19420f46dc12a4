import { once } from "node:events";
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from "node:http";
import { type Connect, createServer, type EnvironmentModuleGraph, type Plugin, type ViteDevServer } from "vite";
import { pageAssets } from "./renderer-build.ts";
import { setTimeout as pause } from "node:timers/promises";
import react from "@vitejs/plugin-react";
import type { PageRenderer, PageRequest } from "@farline/contract/public-pages.ts";
import { PAGE_DATA } from "../../tools/dev/page-data.ts";

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

const ENTRY = "/src/public/server-entry.tsx";
const PASSED_ON = ["cookie", "accept-language"];
/** How long to wait for a service that restarts. */
const SERVICE_LIMIT_MS = 15_000;
const RETRY_PAUSE_MS = 100;
const SERVICE_IS_DOWN = "The service does not answer. Its lines in the terminal say why.\n";

/**
 * Renders the public pages from source in the development server, with the data that the service sends for them. Vite serves
 * everything else.
 */
function devPages(serviceOrigin: string): Plugin {
  return {
    name: "farline-dev-pages",
    apply: "serve",
    configureServer(server) {
      reloadRenderedPages(server);
      server.middlewares.use((request, response, next) => {
        if (isPageRequest(request)) void answerPage(server, serviceOrigin, { request, response, next });
        else next();
      });
    },
  };
}

interface Exchange {
  readonly request: Connect.IncomingMessage;
  readonly response: ServerResponse;
  readonly next: Connect.NextFunction;
}

async function answerPage(server: ViteDevServer, serviceOrigin: string, exchange: Exchange): Promise<void> {
  try {
    await forwardPage(server, serviceOrigin, exchange);
  } catch (error) {
    exchange.next(error);
  }
}

async function forwardPage(server: ViteDevServer, serviceOrigin: string, { request, response, next }: Exchange): Promise<void> {
  const headers = Object.fromEntries(PASSED_ON.map((name) => [name, String(request.headers[name] ?? "")]));
  const answer = await askService(new URL(request.originalUrl ?? "/", serviceOrigin), { accept: "text/html", ...headers });
  if (answer === null) return void response.writeHead(503, { "content-type": "text/plain" }).end(SERVICE_IS_DOWN);
  const location = answer.headers.get("location");
  if (location !== null) return void response.writeHead(answer.status, { location }).end();
  const text = await answer.text();
  if (!text.startsWith(PAGE_DATA)) return next();
  const html = await renderPage(server, JSON.parse(text.slice(PAGE_DATA.length)) as PageRequest);
  response.writeHead(answer.status, { "content-type": "text/html; charset=utf-8", "cache-control": "no-store" }).end(html);
}

async function askService(url: URL, headers: Record<string, string>): Promise<Response | null> {
  const deadline = performance.now() + SERVICE_LIMIT_MS;
  for (;;) {
    try {
      return await fetch(url, { headers, redirect: "manual" });
    } catch {
      if (performance.now() > deadline) return null;
      await pause(RETRY_PAUSE_MS);
    }
  }
}

async function renderPage(server: ViteDevServer, request: PageRequest): Promise<string> {
  const { default: renderer } = (await server.ssrLoadModule(ENTRY)) as { default: PageRenderer };
  const styles = stylesOf(server.environments.ssr.moduleGraph).map((url) => `<link rel="stylesheet" href="${url}">`);
  const client = [
    `<script type="module">${react.preambleCode.replace("__BASE__", "/")}</script>`,
    '<script type="module" src="/@vite/client"></script>',
  ];
  return renderer.renderPage(request).replace("<head>", () => ["<head>", ...client, ...styles].join(""));
}

/** Stylesheets that rendered components import, because no browser script imports them. */
function stylesOf(graph: EnvironmentModuleGraph): string[] {
  return [...graph.idToModuleMap.keys()].filter((id) => id.endsWith(".css")).flatMap((id) => graph.getModuleById(id)?.url ?? []);
}

/** A change in a file that only the renderer imports cannot be hot-replaced, so the page reloads. */
function reloadRenderedPages(server: ViteDevServer): void {
  const { client, ssr } = server.environments;
  server.watcher.on("change", (file) => {
    if (isImported(ssr.moduleGraph, file) && !isImported(client.moduleGraph, file)) client.hot.send({ type: "full-reload" });
  });
}

/** Imported by a script. A stylesheet may merely watch it. */
function isImported(graph: EnvironmentModuleGraph, file: string): boolean {
  const importers = [...(graph.getModulesByFile(file) ?? [])].flatMap((module) => [...module.importers]);
  return importers.some(({ url }) => !url.endsWith(".css"));
}

function isPageRequest({ method, headers }: IncomingMessage): boolean {
  return method === "GET" && (headers.accept ?? "").includes("text/html");
}

const CATALOGUE = /\/texts\/([\w-]+)\/([\w-]+)\.json$/;
const EVENT = "farline:texts";
/** How new texts reach the page: the app shows them, a server-rendered page reloads. */
const LISTENERS: readonly [string, string][] = [
  [
    "/web/src/text/i18n.ts",
    `import.meta.hot?.on("${EVENT}", ({ language, namespace, texts }) => {
      i18n.addResourceBundle(language, namespace, texts, true, true);
      void i18n.changeLanguage(i18n.language);
    });`,
  ],
  ["/web/src/public/start.ts", `import.meta.hot?.on("${EVENT}", () => location.reload());`],
];

/** Shows a changed text in the open page. A catalogue is data, so no component accepts it as a hot update. */
function devTexts(): Plugin {
  return {
    name: "farline-dev-texts",
    apply: "serve",
    transform(code, id) {
      const [, listener] = LISTENERS.find(([file]) => id.endsWith(file)) ?? [];
      return listener === undefined ? null : { code: `${code}\n${listener}`, map: null };
    },
    async hotUpdate({ file, read }) {
      const [, language, namespace] = CATALOGUE.exec(file) ?? [];
      if (this.environment.name !== "client" || language === undefined) return undefined;
      this.environment.hot.send(EVENT, { language, namespace, texts: JSON.parse(await read()) as object });
      return [];
    },
  };
}

const CONSOLE = /^\/operator(?:[/?]|$)/;

/** Serves the operators' console from source at all its addresses, in the development server. */
function devConsole(): Plugin {
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
