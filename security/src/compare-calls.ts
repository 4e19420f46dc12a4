import { chargeFor } from "@farline/domain/calls/charge.ts";
import type { Installation } from "./product.ts";

/** The network starts and stops its clock slightly after the exchange. Anything longer is unpaid talk time. */
const TOLERANCE_SECONDS = 1;
const MAX_RECORDS = 200;
const COLLECT_EVERY_MS = 500;

type NetworkCall = ReturnType<Installation["sandbox"]["network"]["calls"]>[number];

/** Collects all calls, because the phone network keeps only its newest 200. */
export class NetworkCalls {
  readonly #seen = new Map<string, NetworkCall>();
  readonly #network: Installation["sandbox"]["network"];
  readonly #timer: NodeJS.Timeout;

  constructor({ sandbox }: Installation) {
    this.#network = sandbox.network;
    this.#timer = setInterval(() => this.#collect(), COLLECT_EVERY_MS);
  }

  all(): NetworkCall[] {
    this.#collect();
    return [...this.#seen.values()];
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #collect(): void {
    for (const call of this.#network.calls({ limit: MAX_RECORDS })) this.#seen.set(call.id, call);
  }
}

interface LedgerCall {
  id: string;
  destination: string;
  rate_per_minute_micros: bigint;
  first_interval_seconds: number;
  next_interval_seconds: number;
  posted_micros: bigint | null;
}

/**
 * Compares the phone network's calls with the ledger: each call has its own authorisation for the same number, shows our
 * number, and lasted no longer than its charge pays for.
 * @returns the faults, by number
 */
export async function compareCalls(
  seen: readonly NetworkCall[],
  { installation, callerNumber }: { installation: Installation; callerNumber: string },
): Promise<Map<string, string[]>> {
  const wrong = new Map<string, string[]>();
  const authorised = await readLedgerCalls(installation);
  for (const [number, calls] of Map.groupBy(seen, (call) => call.number)) {
    const paid = authorised.get(number) ?? [];
    const faults = calls
      .toSorted((a, b) => secondsOf(b) - secondsOf(a))
      .flatMap((call, index) => faultsOf(call, paid[index], callerNumber));
    if (faults.length > 0) wrong.set(number, faults);
  }
  return wrong;
}

/** By number, highest charge first: the longest call of a number must fit the highest charge, and so on down. */
async function readLedgerCalls({ database }: Installation): Promise<Map<string, LedgerCall[]>> {
  const { rows } = await database.handle.pool.query<LedgerCall>(
    `select c.id, c.destination, c.rate_per_minute_micros, c.first_interval_seconds, c.next_interval_seconds, h.posted_micros
     from call c join hold h on h.id = c.id
     where c.parked_call_control_id is not null
     order by h.posted_micros desc nulls last`,
  );
  return Map.groupBy(rows, (row) => row.destination);
}

function faultsOf(call: NetworkCall, paid: LedgerCall | undefined, callerNumber: string): string[] {
  if (paid === undefined) return [`an unauthorised call from ${call.from}`];
  const faults: string[] = [];
  if (call.from.replace(/^\+/, "") !== callerNumber.replace(/^\+/, "")) faults.push(`shows ${call.from} as its caller`);
  if (call.state !== "ended") faults.push(`still ${call.state}`);
  const seconds = Math.floor(secondsOf(call) - TOLERANCE_SECONDS);
  if (seconds <= 0) return faults;
  const owed = chargeFor(seconds, {
    ratePerMinuteMicros: BigInt(paid.rate_per_minute_micros),
    firstIntervalSeconds: paid.first_interval_seconds,
    nextIntervalSeconds: paid.next_interval_seconds,
  });
  if (BigInt(paid.posted_micros ?? 0n) < owed)
    faults.push(`lasted ${seconds} s, which costs ${owed} micro-dollars, but ${paid.posted_micros ?? 0n} were posted`);
  return faults;
}

function secondsOf(call: NetworkCall): number {
  if (call.answeredAt === null) return 0;
  return ((call.endedAt === null ? Date.now() : Date.parse(call.endedAt)) - Date.parse(call.answeredAt)) / 1000;
}
