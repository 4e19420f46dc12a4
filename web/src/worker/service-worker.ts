import { type Answer, answerFor } from "./answer-for.ts";

declare const self: ServiceWorkerGlobalScope;

/** Addresses of the files in this build's app shell. Set by the build. */
declare const __SHELL_FILES__: readonly string[];
/** Changes with every build whose shell differs. */
declare const __SHELL_VERSION__: string;

const PREFIX = "farline-";
const CACHE = PREFIX + __SHELL_VERSION__;
/** The previous cache stays: a tab opened with the previous build may still request its files. */
const KEPT_CACHES = 2;
const PAGE = "/index.html";

self.addEventListener("install", (event) => {
  event.waitUntil(fillShell());
});

// A new worker waits until the next page that opens sends this message, so that no open page changes its build.
self.addEventListener("message", (event) => {
  if (event.data === "take-over") event.waitUntil(self.skipWaiting());
});

self.addEventListener("activate", (event) => {
  event.waitUntil(dropOldCaches());
});

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const answer = answerFor({ method: request.method, mode: request.mode, url: request.url }, self.location.origin);
  if (answer !== "network") event.respondWith(answers[answer](request));
});

const answers: Readonly<Record<Exclude<Answer, "network">, (request: Request) => Promise<Response>>> = {
  page: networkElseShell,
  file: cacheElseNetwork,
};

/** Bypasses the HTTP cache for the page, because it must name exactly this build's files. */
async function fillShell(): Promise<void> {
  const cache = await caches.open(CACHE);
  await Promise.all([cache.add(new Request(PAGE, { cache: "reload" })), cache.addAll([...__SHELL_FILES__])]);
}

async function dropOldCaches(): Promise<void> {
  // `caches.keys()` is in order of creation.
  const ours = (await caches.keys()).filter((name) => name.startsWith(PREFIX) && name !== CACHE);
  const old = ours.slice(0, Math.max(0, ours.length - (KEPT_CACHES - 1)));
  await Promise.all(old.map((name) => caches.delete(name)));
}

/** Pages come from the service. Offline, the shell replaces them and says so. */
async function networkElseShell(request: Request): Promise<Response> {
  try {
    return await fetch(request);
  } catch (failure) {
    const shell = await (await caches.open(CACHE)).match(PAGE);
    if (shell === undefined) throw failure;
    return shell;
  }
}

/** File names contain a content hash, so cached files are valid. Their number is bounded by the build. */
async function cacheElseNetwork(request: Request): Promise<Response> {
  const kept = await caches.match(request, { ignoreVary: true });
  if (kept !== undefined) return kept;
  const response = await fetch(request);
  if (response.ok && response.type === "basic") {
    const cache = await caches.open(CACHE);
    await cache.put(request, response.clone());
  }
  return response;
}
