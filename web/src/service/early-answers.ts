/** Longer than this an answer does not wait for its reader. */
const FRESH_MS = 10_000;
const TIMEOUT_MS = 20_000;

/** What every page of a signed-in person shows. */
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
 * Asks the service for what the opened page will show, while the app's code is still on its way. A question that fails is
 * asked again by the app.
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

/** The answer to a question that was asked early, once; undefined when it was not, by somebody else, or long ago. */
export function takeEarlyAnswer(path: string, token: string | null): Promise<Response | null> | undefined {
  const early = globalThis.earlyAnswers;
  if (early === undefined || early.token !== token || performance.now() - early.askedAtMs > FRESH_MS) return undefined;
  const answer = early.answers.get(path);
  early.answers.delete(path);
  return answer;
}

/** Something has changed since they were asked, or may have: what no hint is ever about stays good. */
export function forgetEarlyAnswers(): void {
  const answers = globalThis.earlyAnswers?.answers;
  for (const path of answers?.keys() ?? []) if (!UNHINTED.has(path)) answers?.delete(path);
}
