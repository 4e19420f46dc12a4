/** Response strategy: the network only, the network with the shell as fallback, or the cache with the network as fallback. */
export type Answer = "network" | "page" | "file";

/** The worker ignores API responses, other origins and every write. */
export function answerFor(request: { method: string; mode: RequestMode; url: string }, origin: string): Answer {
  const url = new URL(request.url);
  if (request.method !== "GET" || url.origin !== origin || url.pathname === "/api" || url.pathname.startsWith("/api/"))
    return "network";
  if (request.mode === "navigate") return "page";
  return url.pathname.startsWith("/assets/") ? "file" : "network";
}
