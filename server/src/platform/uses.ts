import { judgeUses, KEPT_USES, type Use, type UseSummary } from "@farline/domain/health.ts";
import { AppError } from "./app-error.ts";
import type { Clock } from "./clock.ts";

/** What this process uses and can therefore judge. */
export const usedParts = ["voice", "payments", "mails", "google", "webhooks", "postings"] as const;
export type UsedPart = (typeof usedParts)[number];

const READS: ReadonlySet<string> = new Set(["GET", "HEAD"]);
/** A provider with these does not work for us: our key is refused, it takes no more requests of ours. */
const REFUSES_US: ReadonlySet<number> = new Set([401, 429]);

/** An HTTP response of a provider. */
interface ProviderResponse {
  readonly status: number;
  readonly contentType: string | null;
  /** The header `Date`. */
  readonly date: string | null;
}

/**
 * The outcomes of the latest real uses of each part, by this process: what happened, not what a probe says. Clients of providers report each
 * of their requests here.
 */
export class Uses {
  readonly #byPart = new Map<UsedPart, Use[]>();
  readonly #clock: Clock;
  readonly #nowMs: () => number;
  #skewMs = 0;

  /** @param nowMs milliseconds since 1970 that no set clock changes */
  constructor(clock: Clock, nowMs: () => number = () => performance.timeOrigin + performance.now()) {
    this.#clock = clock;
    this.#nowMs = nowMs;
  }

  /** @param failure why the part failed; null if it worked */
  record(part: UsedPart, failure: string | null, onlyRead = false): void {
    const uses = this.#byPart.get(part) ?? [];
    uses.push({ atMs: this.#nowMs(), failure, onlyRead });
    if (uses.length > KEPT_USES) uses.shift();
    this.#byPart.set(part, uses);
  }

  /** Records a response to a request. Refusals of what a customer wants have worked; a balancer's page in place of the API has not. */
  answered(part: UsedPart, method: string, { status, contentType, date }: ProviderResponse): void {
    const isPage = status === 404 && contentType?.startsWith("text/") === true;
    const failed = status >= 500 || REFUSES_US.has(status) || isPage;
    this.record(part, failed ? refusalText(status) : null, READS.has(method));
    const at = Date.parse(date ?? "");
    if (part === "payments" && !failed && !Number.isNaN(at)) this.#skewMs = this.#clock.now().getTime() - at;
  }

  unanswered(part: UsedPart, method: string, error: unknown): void {
    this.record(part, `It does not answer (${codeOf(error)}).`, READS.has(method));
  }

  /** @returns the work's result, after its outcome is recorded. Refusals (AppError below 500) have worked. */
  async of<Result>(part: UsedPart, work: () => Promise<Result>): Promise<Result> {
    try {
      const result = await work();
      this.record(part, null);
      return result;
    } catch (error) {
      const isRefusal = error instanceof AppError && error.status < 500;
      this.record(part, isRefusal ? null : `The last error is ${codeOf(error)}.`);
      throw error;
    }
  }

  summary(part: UsedPart): UseSummary {
    return judgeUses(this.#byPart.get(part) ?? [], this.#nowMs());
  }

  /** Time since the latest use; infinite if there was none. */
  idleMs(part: UsedPart): number {
    return this.#nowMs() - (this.#byPart.get(part)?.at(-1)?.atMs ?? Number.NEGATIVE_INFINITY);
  }

  /** How far this machine's clock was ahead of the payment provider's when that last answered. */
  get clockSkewSeconds(): number {
    return Math.round(this.#skewMs / 1_000);
  }
}

function refusalText(status: number): string {
  if (status === 401) return "It refuses our key (status 401).";
  return status === 429 ? "It takes no more requests of ours (status 429)." : `It answers with status ${status}.`;
}

/** Never the message, which may name persons. */
function codeOf(error: unknown): string {
  const { code, cause, name } = error as { code?: unknown; cause?: { code?: unknown }; name?: unknown };
  return String(code ?? cause?.code ?? name);
}
