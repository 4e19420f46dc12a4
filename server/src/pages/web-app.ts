import { existsSync, readdirSync, readFileSync } from "node:fs";
import { extname, join, sep } from "node:path";
import {
  appPaths,
  drawnPages,
  forgotPasswordPath,
  googleReturnPaths,
  invitationPath,
  mailLinkPaths,
} from "@farline/contract/constants.ts";
import { languages } from "@farline/domain/languages.ts";
import fastifyStatic from "@fastify/static";
import type { FastifyReply, FastifyRequest } from "fastify";
import { AppError } from "../platform/app-error.ts";
import type { App } from "../platform/http/http.ts";
import type { Config } from "../platform/settings/config.ts";
import { appConfig } from "./operations-routes.ts";
import { PageCache, sendPage } from "./page-cache.ts";
import { pageReader } from "./page-reader.ts";

const INDEX = "index.html";
/** The operators' console, a build of its own. */
const CONSOLE = "operator.html";
/** The preview's picture, whose address other sites need whole. */
const PICTURE = 'content="/og.png"';
const ROOT = "<html ";
const HEAD_END = "</head>";
/** Pages whose links people share in chats. */
const SHARED: ReadonlySet<string> = new Set([...Object.values(mailLinkPaths), invitationPath]);
/** Pages without the app's frame, even for a signed-in customer. */
const FRAMELESS = [
  ...Object.values(mailLinkPaths).filter((path) => path !== mailLinkPaths.exportReady),
  forgotPasswordPath,
  googleReturnPaths.signIn,
];
/** Letters of both cases, as in the app's router. The public site has the first page, unless it is not built. */
const APP_PAGE = new RegExp(
  `^/(?:${Object.values(appPaths)
    .flat()
    .map((path) => path.slice(1).replace(/\/\*$/, "(?:/.*)?").replaceAll(/:\w+/g, "[^/]+"))
    .join("|")})?$`,
  "i",
);
/** Pages with a customer's own data, and copies of one page at addresses without end. */
const NOT_INDEXED = ["x-robots-tag", "noindex"] as const;
const NOT_BUILT = "The web app is not built yet. Run npm run build, then load this page again.\n";
/** File types that are served, as compressed copies; all other build files stay private. */
const PUBLIC_TYPES = new Set([".css", ".html", ".js", ".png", ".svg", ".txt", ".webmanifest", ".woff2"]);

/**
 * Serves the built web app: its public files, and its HTML page for every URL that is not a route, with status 404 where the app has
 * nothing. The page includes what can be drawn without data: the frame for a signed-in customer, and the whole of `drawnPages`. It carries
 * the answer of `GET /api/config`, so that nothing on it waits for that. Files with a content hash in their name are cached forever; the page is always revalidated.
 * @param folder the output of `npm run build`; may be absent
 */
export function webApp(app: App, folder: string, config: Config): void {
  const built = existsSync(join(folder, INDEX));
  const cache = new PageCache();
  const send = async (request: FastifyRequest, reply: FastifyReply, file: string) =>
    sendPage(request, reply, await cache.get(file, () => withConfig(readFileSync(join(folder, file), "utf8"), config)));
  const sendIndex: SendPage = (request, reply) => send(request, reply.header(...NOT_INDEXED), INDEX);
  if (built) serveFiles(app, folder, sendIndex);
  for (const url of ["/api", "/api/*", ...(built ? [] : ["/assets/*"])])
    app.all(url, { config: { access: "visitor" } }, async () => {
      throw nothingHere();
    });
  /** @param drawn the address of the page that is drawn whole for these readers; the others get what all pages have */
  const page = (readers: keyof typeof drawnPages, drawn: string) => async (request: FastifyRequest, reply: FastifyReply) => {
    if (!isPageRequest(request)) throw nothingHere();
    if (!built) return reply.status(503).type("text/plain; charset=utf-8").send(NOT_BUILT);
    if (readers === "signedIn") void reply.header(...NOT_INDEXED);
    const { signedIn, language } = pageReader(request, languages);
    const shell = (name: string): string => `shell/${language}${name.replace("/", "-")}.html`;
    if (signedIn) return send(request, reply, shell(readers === "signedIn" ? drawn : ""));
    return readers === "visitor" ? send(request, reply, shell(drawn)) : sendIndex(request, reply);
  };
  for (const readers of ["signedIn", "visitor"] as const)
    for (const path of drawnPages[readers]) app.get(path, { config: { access: "visitor" } }, page(readers, path));
  // A drawn form that is sent before or without the app's scripts. The page says what is wrong; the fields are not read.
  for (const path of drawnPages.visitor)
    app.post(path, {
      config: { access: "visitor" },
      onRequest: async (_request, reply) => reply.redirect(path, 303),
      handler: () => undefined,
    });
  const anyPage = page("signedIn", "");
  app.setNotFoundHandler((request, reply) => {
    const plain = isPageRequest(request) ? withoutLastSlash(request) : null;
    if (plain !== null) return reply.redirect(plain, 301);
    return anyPage(request, APP_PAGE.test(pathOf(request)) ? reply : reply.status(404));
  });
}

/** Completes a page of the build: the whole address of its preview for other sites, and the configuration for the app and the styles. */
function withConfig(html: string, config: Config): string {
  // Inside the element, "<" could end it.
  const answer = JSON.stringify(appConfig(config)).replaceAll("<", String.raw`\u003c`);
  return html
    .replace(PICTURE, () => PICTURE.replace("/", `${config.publicUrl}/`))
    .replace(ROOT, () => `${ROOT}data-mode="${config.mode}" `)
    .replace(HEAD_END, () => `<script type="application/json" data-config>${answer}</script>${HEAD_END}`);
}

type SendPage = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>;

function serveFiles(app: App, folder: string, sendIndex: SendPage): void {
  app.register(fastifyStatic, {
    root: folder,
    serve: false,
    preCompressed: true,
    cacheControl: false,
    setHeaders: (reply, path) => void reply.header("cache-control", cacheControlOf(path)),
  });
  for (const path of [...FRAMELESS, `/${INDEX}`]) app.get(path, { config: { access: "visitor" } }, sendIndex);
  if (existsSync(join(folder, CONSOLE)))
    for (const path of ["/operator", "/operator/*"])
      app.get(path, { config: { access: "visitor" } }, async (_request, reply) => reply.header(...NOT_INDEXED).sendFile(CONSOLE));
  const files = new Set(publicFiles(folder));
  for (const file of files)
    if (file !== INDEX && !file.startsWith("assets/") && !file.startsWith("shell/"))
      app.get(`/${file}`, { config: { access: "visitor" } }, async (_request, reply) => reply.sendFile(file));
  app.get<{ Params: { "*": string } }>("/assets/*", { config: { access: "visitor" } }, async (request, reply) => {
    const file = `assets/${request.params["*"]}`;
    if (!files.has(file)) throw nothingHere();
    return reply.sendFile(file);
  });
}

/** Relative to the folder, with `/`. */
function publicFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && PUBLIC_TYPES.has(extname(entry.name)))
    .map((entry) => join(entry.parentPath, entry.name).slice(join(folder, sep).length).replaceAll(sep, "/"))
    .filter((file) => file.split("/").every((part) => !part.startsWith(".")));
}

function nothingHere(): AppError {
  return new AppError("not_found", { reason: "address_unknown" });
}

function cacheControlOf(path: string): string {
  return path.includes(`${sep}assets${sep}`) ? "public, max-age=31536000, immutable" : "no-cache";
}

/** Browsers say that they want a page. Programs that preview a shared link accept anything. */
function isPageRequest(request: FastifyRequest): boolean {
  const { method, headers } = request;
  if (method !== "GET" && method !== "HEAD") return false;
  return (headers.accept ?? "").includes("text/html") || SHARED.has(pathOf(request));
}

// oxlint-disable-next-line farline/no-raw-url -- decides only whether a page or an error is shown where no route is, and its status
function pathOf({ url }: FastifyRequest): string {
  return url.split("?")[0] ?? "";
}

/** The address without slashes at its end; null if it has none. One slash begins it, so that it leads to no other site. */
// oxlint-disable-next-line farline/no-raw-url -- decides only whether a page or a redirect is sent where no route is
function withoutLastSlash({ url }: FastifyRequest): string | null {
  const [path = "", ...query] = url.split("?");
  return /.\/$/.test(path) ? ["/" + path.split(/[/\\]/).filter(Boolean).join("/"), ...query].join("?") : null;
}
