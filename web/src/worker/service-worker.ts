import { answerFor, cacheElseNetwork, fillCache, networkElseShell } from "./shell-cache.ts";

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
  event.waitUntil(fillCache(CACHE, PAGE, __SHELL_FILES__));
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
  if (answer === "page") event.respondWith(networkElseShell(request, CACHE, PAGE));
  if (answer === "file") event.respondWith(cacheElseNetwork(request, CACHE, (kept) => event.waitUntil(kept)));
});

async function dropOldCaches(): Promise<void> {
  // `caches.keys()` is in order of creation.
  const ours = (await caches.keys()).filter((name) => name.startsWith(PREFIX) && name !== CACHE);
  const old = ours.slice(0, Math.max(0, ours.length - (KEPT_CACHES - 1)));
  await Promise.all(old.map((name) => caches.delete(name)));
}
