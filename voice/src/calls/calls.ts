import { DAY_MS } from "@farline/domain/durations.ts";
import { RateLimitedLog } from "../rate-limits/rate-limited-log.ts";
import { SourceRates } from "../rate-limits/source-rates.ts";
import { Call, type CallDeps } from "./call.ts";
import type { ParkRequest } from "./leg-requests.ts";
import { type CallEvent, type CallLeg, CallProblem } from "./call-leg.ts";
import { endShutdown, endUnrouted } from "./hangup-causes.ts";

/**
 * Ended legs can be queried for this long. A service whose database was away must learn when they ended: a leg that the exchange does not
 * know is charged only until it was last seen. Without a database no calls begin, so those of a long outage fit into `REMEMBER_ENDED_LEGS`.
 */
const REMEMBER_ENDED_MS = DAY_MS;
const REMEMBER_ENDED_LEGS = 20_000;
/** Per account. A new call costs a media process about 10 ms, even if it is hung up at once. */
const NEW_CALLS = { perSecond: 2, burst: 20 };
const MAX_ACCOUNTS = 10_000;
/** Unrouted legs may use this share of the calls, and at least `MIN_PARKED`. Anybody with a token can create them. */
const PARKED_FRACTION = 8;
const MIN_PARKED = 10;

interface CallsOptions extends Omit<CallDeps, "limitedLog" | "onEnded"> {
  readonly maxCallsPerAccount: number;
  readonly maxCalls: number;
  /** Whether a call would survive a crash of the exchange. Otherwise no new ones are taken. */
  readonly canStore?: () => boolean;
}

export interface Calls {
  /** Starts a call with a parked browser leg. @throws CallProblem `too_many` */
  park(request: ParkRequest): Call;
  /** Finds a live or recently ended leg and its call; null if unknown. */
  find(controlId: string): { readonly leg: CallLeg; readonly call: Call | null } | null;
  /** Live legs, oldest first. */
  activeLegs(): readonly CallLeg[];
  readonly liveCalls: number;
  /** Takes no new calls. Resolves when the live ones are over, or after `timeoutMs`. */
  drain(timeoutMs: number): Promise<void>;
  /** Ends all calls. Resolves when all have reported their end, or after `timeoutMs`. */
  stop(timeoutMs: number): Promise<void>;
}

function countLive(live: ReadonlySet<Call>, accountId?: string): number {
  let count = 0;
  for (const call of live) if (!call.over && (accountId === undefined || call.accountId === accountId)) count += 1;
  return count;
}

/** If too many legs are parked: the oldest of the account with the most. So a flood displaces its own legs. */
function legToDisplace(live: ReadonlySet<Call>, maxCalls: number): Call | undefined {
  const parked = [...live].filter((call) => !call.over && call.far === null && call.browser.state === "parked");
  if (parked.length < Math.max(MIN_PARKED, Math.floor(maxCalls / PARKED_FRACTION))) return undefined;
  const byAccount = [...Map.groupBy(parked, ({ accountId }) => accountId).values()];
  return byAccount.toSorted((a, b) => b.length - a.length)[0]?.[0];
}

export function createCalls(options: CallsOptions): Calls {
  const live = new Set<Call>();
  const ended = new Map<string, CallLeg>();
  const newCalls = new SourceRates(NEW_CALLS, MAX_ACCOUNTS);
  const limitedLog = new RateLimitedLog(options.log);
  let closed = false;
  let allOver: () => void = () => undefined;

  /** Refuses new calls. Resolves when no call is left, or after `timeoutMs`. */
  function untilOver(timeoutMs: number): Promise<void> {
    closed = true;
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, timeoutMs);
      allOver = () => {
        clearTimeout(timer);
        resolve();
      };
      if (live.size === 0) allOver();
    });
  }

  function emit(event: CallEvent): void {
    if (event.type === "call.hangup") remember(event.leg);
    options.emit(event);
  }

  function remember(leg: CallLeg): void {
    const oldest = Date.now() - REMEMBER_ENDED_MS;
    for (const [id, old] of ended) {
      if (ended.size < REMEMBER_ENDED_LEGS && (old.endedAt?.getTime() ?? 0) > oldest) break;
      ended.delete(id);
    }
    ended.set(leg.controlId, leg);
  }

  function over(call: Call): void {
    live.delete(call);
    if (live.size === 0) allOver();
  }

  return {
    park(request) {
      if (closed || options.canStore?.() === false || countLive(live) >= options.maxCalls)
        throw new CallProblem("too_many", "The exchange takes no more calls now");
      if (countLive(live, request.accountId) >= options.maxCallsPerAccount)
        throw new CallProblem("too_many", "Too many calls of this account");
      if (!newCalls.take(request.accountId)) throw new CallProblem("too_many", "Too many new calls of this account");
      const displaced = legToDisplace(live, options.maxCalls);
      if (displaced !== undefined) limitedLog.warn({ session: displaced.browser.sessionId }, "too many parked legs, ended one");
      displaced?.stop(endUnrouted);
      const call = new Call(request, { ...options, limitedLog, emit, onEnded: over });
      live.add(call);
      return call;
    },
    find(controlId) {
      for (const call of live) {
        const leg = call.legs.find((one) => one.controlId === controlId);
        if (leg !== undefined) return { leg, call };
      }
      const leg = ended.get(controlId);
      return leg === undefined || (leg.endedAt?.getTime() ?? 0) < Date.now() - REMEMBER_ENDED_MS ? null : { leg, call: null };
    },
    activeLegs: () => [...live].flatMap((call) => call.legs.filter((leg) => leg.state !== "hangup")),
    get liveCalls() {
      return live.size;
    },
    drain: untilOver,
    async stop(timeoutMs) {
      const over = untilOver(timeoutMs);
      for (const call of live) call.stop(endShutdown);
      await over;
    },
  };
}
