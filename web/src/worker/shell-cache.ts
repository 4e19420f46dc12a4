/**
 * The cache of the app's shell. It only saves requests and serves while there is no network: where the browser blocks it, empties it or
 * has no room (`QuotaExceededError`), the network answers.
 */

/** Bypasses the HTTP cache for the page, because it must name exactly this build's files. Keeps all or nothing. @throws if that fails */
export async function fillCache(cacheName: string, page: string, files: readonly string[]): Promise<void> {
  const cache = await caches.open(cacheName);
  try {
    await Promise.all([cache.add(new Request(page, { cache: "reload" })), cache.addAll([...files])]);
  } catch (error) {
    await caches.delete(cacheName);
    throw error;
  }
}

/** Pages come from the service. Offline, the shell replaces them and says so. */
export async function networkElseShell(request: Request, cacheName: string, page: string): Promise<Response> {
  try {
    return await fetch(request);
  } catch (failure) {
    const shell = await keptFor(page, { cacheName });
    if (shell === undefined) throw failure;
    return shell;
  }
}

/**
 * File names contain a content hash, so cached files are valid. Their number is bounded by the build.
 * @param onKeeping gets what must end before the worker may
 */
export async function cacheElseNetwork(
  request: Request,
  cacheName: string,
  onKeeping: (keeping: Promise<void>) => void,
): Promise<Response> {
  const kept = await keptFor(request, { ignoreVary: true });
  if (kept !== undefined) return kept;
  const response = await fetch(request);
  if (isFile(response)) onKeeping(keep(request, response.clone(), cacheName));
  return response;
}

async function keptFor(request: RequestInfo, options: MultiCacheQueryOptions): Promise<Response | undefined> {
  try {
    return await caches.match(request, options);
  } catch {
    return undefined;
  }
}

async function keep(request: Request, response: Response, cacheName: string): Promise<void> {
  try {
    await (await caches.open(cacheName)).put(request, response);
  } catch {
    // The next request asks the network, too.
  }
}

/** A network's sign-in page and a proxy's apology are HTML too; kept, they would break the app until the next release. */
function isFile(response: Response): boolean {
  return (
    response.ok && response.type === "basic" && !response.redirected && !response.headers.get("content-type")?.includes("html")
  );
}

/** Response strategy: the network only, the network with the shell as fallback, or the cache with the network as fallback. */
type Answer = "network" | "page" | "file";

/** The worker ignores API responses, other origins and every write. */
export function answerFor(request: { method: string; mode: RequestMode; url: string }, origin: string): Answer {
  const url = new URL(request.url);
  if (request.method !== "GET" || url.origin !== origin || url.pathname === "/api" || url.pathname.startsWith("/api/"))
    return "network";
  if (request.mode === "navigate") return "page";
  return url.pathname.startsWith("/assets/") ? "file" : "network";
}
