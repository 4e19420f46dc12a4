import helmet from "@fastify/helmet";
import { createHash } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { AppError } from "../platform/app-error.ts";
import type { Config } from "../platform/settings/config.ts";
import type { App } from "../platform/http/http.ts";

const TWO_YEARS_SECONDS = 63_072_000;
const PROVIDER_ORIGINS = ["wss://rtc.telnyx.com", "https://rtc.telnyx.com"];
const WRITES = new Set(["POST", "PUT", "PATCH", "DELETE"]);

/**
 * Sets headers on every response: a policy that allows scripts and connections only from here and the voice provider, no inline
 * code but the build's own, no frames, and the microphone for this origin only; and no caching unless the route sets it.
 */
export function securityHeaders(app: App, config: Config, inline: InlineCode): void {
  const https = config.publicUrl.startsWith("https:");
  app.register(helmet, {
    contentSecurityPolicy: { useDefaults: false, directives: policy(voiceOrigins(config.telnyx.wsUrl), https, inline) },
    strictTransportSecurity: https ? { maxAge: TWO_YEARS_SECONDS, includeSubDomains: true } : false,
    referrerPolicy: { policy: "no-referrer" },
    crossOriginOpenerPolicy: { policy: "same-origin" },
    crossOriginResourcePolicy: { policy: "same-origin" },
    crossOriginEmbedderPolicy: false,
  });
  app.addHook("onRequest", async (request, reply) => {
    reply.header("permissions-policy", "microphone=(self), camera=(), geolocation=(), payment=()");
    if (request.headers["sec-fetch-site"] === "cross-site" && WRITES.has(request.method)) throw new AppError("forbidden");
  });
  app.addHook("onSend", async (_request, reply) => {
    if (!reply.hasHeader("cache-control")) reply.header("cache-control", "no-store");
  });
}

type Sources = Iterable<string | ((request: IncomingMessage) => string)>;

function policy(voice: readonly string[], https: boolean, inline: InlineCode): Record<string, Sources | null> {
  return {
    "default-src": ["'none'"],
    "script-src": [inPages(inline.scripts)],
    "style-src": [inPages(inline.styles)],
    "img-src": ["'self'", "data:"],
    "font-src": ["'self'"],
    "connect-src": ["'self'", ...voice],
    "media-src": ["'self'", "blob:"],
    "worker-src": ["'self'"],
    "manifest-src": ["'self'"],
    "form-action": ["'self'"],
    "frame-ancestors": ["'none'"],
    "base-uri": ["'none'"],
    "object-src": ["'none'"],
    "require-trusted-types-for": ["'script'"],
    // The web app's Trusted Types policy, which admits only the URLs of its own workers.
    "trusted-types": ["farline-worker"],
    ...(https ? { "upgrade-insecure-requests": [] } : {}),
  };
}

/** Files with a content hash in their name are no pages, so they come without the hashes of inline code. */
const inPages =
  (hashes: readonly string[]) =>
  // oxlint-disable-next-line farline/no-raw-url -- a mistake can only block the inline code of a page
  ({ url }: IncomingMessage): string =>
    ["'self'", ...(url?.startsWith("/assets/") === true ? [] : hashes)].join(" ");

/** The provider's WebSocket and the same host over HTTP, where its SDK sends call quality reports. */
function voiceOrigins(wsUrl: string | null): readonly string[] {
  if (wsUrl === null) return PROVIDER_ORIGINS;
  const { host, protocol } = new URL(wsUrl);
  return protocol === "wss:" ? [`wss://${host}`, `https://${host}`] : [`ws://${host}`, `http://${host}`];
}

/** Sources for a content security policy. */
interface InlineCode {
  readonly scripts: readonly string[];
  readonly styles: readonly string[];
}

/**
 * The hashes of the script and styles that the build puts into the app's pages, so that these show something without a further
 * request. Nothing else may run inline.
 * @param folder the output of `npm run build`; may be absent
 */
export function inlineCode(folder: string): InlineCode {
  const pages = existsSync(folder) ? globSync(["index.html", "operator.html", "shell/*.html"], { cwd: folder }) : [];
  const html = pages.map((page) => readFileSync(join(folder, page), "utf8")).join("\n");
  return { scripts: hashesOf(html, /<script>([^]*?)<\/script>/g), styles: hashesOf(html, /<style>([^]*?)<\/style>/g) };
}

function hashesOf(html: string, element: RegExp): readonly string[] {
  const hashes = [...html.matchAll(element)].map(([, code = ""]) => createHash("sha256").update(code).digest("base64"));
  return [...new Set(hashes)].map((hash) => `'sha256-${hash}'`);
}
