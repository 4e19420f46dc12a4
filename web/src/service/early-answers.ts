/** Early responses that are older than this are discarded. */
const FRESH_MS = 10_000;
const TIMEOUT_MS = 20_000;

/** What every signed-in page shows. */
const EVERYWHERE = ["/config", "/user", "/billing/balance"];
const PAGES: Readonly<Record<string, readonly string[]>> = {
  "/dialer": ["/rates", "/calls/history?limit=5"],
};

const UNHINTED = new Set(["/config", "/rates"]);

interface EarlyAnswers {
  readonly token: string;
  readonly askedAtMs: number;
  readonly answers: Map<string, Promise<Response | null>>;
}

declare global {
  var earlyAnswers: EarlyAnswers | undefined;
}

/**
 * Requests what the opened page will show while the app's code is still loading. The app repeats a request that fails.
 * @param token of the session @param page path of the opened page
 */
export function askEarly(token: string, page: string): void {
  const headers = { Accept: "application/json", Authorization: `Bearer ${token}` };
  const ask = (path: string) =>
    fetch(`/api${path}`, { headers, signal: AbortSignal.timeout(TIMEOUT_MS) }).catch((): null => null);
  const paths = [...EVERYWHERE, ...(PAGES[page] ?? [])];
  globalThis.earlyAnswers = {
    token,
    askedAtMs: performance.now(),
    answers: new Map(paths.map((path) => [path, ask(path)])),
  };
}

/** Takes an early response, once. Undefined when there is none, it is for another session, or it is too old. */
export function takeEarlyAnswer(path: string, token: string | null): Promise<Response | null> | undefined {
  const early = globalThis.earlyAnswers;
  if (early === undefined || early.token !== token || performance.now() - early.askedAtMs > FRESH_MS) return undefined;
  const answer = early.answers.get(path);
  early.answers.delete(path);
  return answer;
}

/** Drops early responses that may be out of date. Resources that have no hints stay. */
export function forgetEarlyAnswers(): void {
  const answers = globalThis.earlyAnswers?.answers;
  for (const path of answers?.keys() ?? []) if (!UNHINTED.has(path)) answers?.delete(path);
}
