import { type Answer, answerFor } from "./answer-for.ts";

declare const self: ServiceWorkerGlobalScope;

/** Addresses of the files that make the app's shell in this build; put in by the build. */
declare const __SHELL_FILES__: readonly string[];
/** Changes with every build whose shell differs. */
declare const __SHELL_VERSION__: string;

const PREFIX = "farline-";
const CACHE = PREFIX + __SHELL_VERSION__;
/** The cache before this one stays: a tab that was opened with the build before may still ask for its files. */
const KEPT_CACHES = 2;
const PAGE = "/index.html";

self.addEventListener("install", (event) => {
  event.waitUntil(fillShell());
});

// A new worker waits. The next page that opens says this, so that an update never comes in the middle of anything.
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

/** The page itself is asked for past the browser's own cache: it names the files of exactly this build. */
async function fillShell(): Promise<void> {
  const cache = await caches.open(CACHE);
  await Promise.all([cache.add(new Request(PAGE, { cache: "reload" })), cache.addAll([...__SHELL_FILES__])]);
}

async function dropOldCaches(): Promise<void> {
  // In the order in which they were made.
  const ours = (await caches.keys()).filter((name) => name.startsWith(PREFIX) && name !== CACHE);
  const old = ours.slice(0, Math.max(0, ours.length - (KEPT_CACHES - 1)));
  await Promise.all(old.map((name) => caches.delete(name)));
}

/** A page comes from the service. Without a network the shell stands in: it says that it is offline. */
async function networkElseShell(request: Request): Promise<Response> {
  try {
    return await fetch(request);
  } catch (failure) {
    const shell = await (await caches.open(CACHE)).match(PAGE);
    if (shell === undefined) throw failure;
    return shell;
  }
}

/** Names of these files change with their content: what is kept is right. There are only as many as a build has. */
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
