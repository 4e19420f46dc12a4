/** Who answers a request: the network alone, the network with the shell behind it, or what is kept with the network behind it. */
export type Answer = "network" | "page" | "file";

/** The API's answers, everything of other origins and every write are none of the worker's business. */
export function answerFor(request: { method: string; mode: RequestMode; url: string }, origin: string): Answer {
  const url = new URL(request.url);
  if (request.method !== "GET" || url.origin !== origin || url.pathname === "/api" || url.pathname.startsWith("/api/"))
    return "network";
  if (request.mode === "navigate") return "page";
  return url.pathname.startsWith("/assets/") ? "file" : "network";
}
