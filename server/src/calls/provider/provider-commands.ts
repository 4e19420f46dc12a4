import type { BillingRate } from "@farline/domain/calls/charge.ts";
import { rateToDecimalString } from "@farline/domain/money.ts";
import type { Telnyx } from "telnyx";
import type { Logger } from "pino";
import { z } from "zod";
import type { CallSecrets } from "../record/call-secrets.ts";
import type { TrunkCost } from "../../rates/rates.ts";
import { RING_LIMIT_SECONDS } from "../record/calls.tables.ts";
import { hasCode, isOver, isRefusal, isUnknown, needsAnswer, providerError } from "./telnyx-client.ts";

const LEGS_A_PAGE = 100;
/** Guards against endless cursors, together with the check for pages that repeat. */
const MAX_PAGES = 100;
/** The provider's code for a limit below the call's current one. */
const INVALID_PARAMETER = "10015";

/**
 * `refused`: definitely not dialled, because the leg has `ended`, must be answered first (`unanswered`), or for another reason.
 * `unknown`: the provider did not respond and may have dialled.
 */
export type TransferResult =
  | { result: "accepted" }
  | { result: "refused"; because: "ended" | "unanswered" | "other"; error: Error }
  | { result: "unknown"; error: Error };

/**
 * `longer`: the call's limit is already at least that long. `later`: the call has ended or is not connected yet, or the provider did
 * not respond.
 */
type ExtendResult = "accepted" | "longer" | "later";

export type LegStatus =
  | { state: "alive" }
  /** Not alive, but without an end. Telnyx reports this for legs that it is dialling, so it may be ringing. */
  | { state: "silent" }
  /** `answeredAt` is null if the leg was never answered, undefined if the provider does not say. */
  | { state: "ended"; endedAt: Date; answeredAt: Date | null | undefined }
  /** The provider does not, or no longer, know the leg. */
  | { state: "lost" }
  | { state: "unreachable" };

/** The exchange chooses and orders the trunks for a call by these prices. */
export interface CallPrices {
  /** The customer's rate. */
  readonly sale: BillingRate;
  readonly trunks: readonly TrunkCost[];
}

interface TransferCommand {
  callControlId: string;
  /** E.164 */
  to: string;
  /** E.164, shown to the called person. */
  from: string;
  /** Our exchange's proof for a customer's number; null for the service's number, or if the provider keeps its own list. */
  fromProof: string | null;
  /** Whether the service has answered the leg, because the first command was refused without it. */
  answered: boolean;
  /** Seconds from the answer after which the provider itself ends the leg. */
  maxSeconds: number;
  /** Only for a connection that supports them. */
  prices: CallPrices | null;
  farLegMark: string;
}

/** Commands to the voice provider. Network errors are results, not rejections. */
export interface ProviderCommands {
  /** Connects a parked leg to a number. The provider ignores repetitions within a minute. */
  transfer(command: TransferCommand): Promise<TransferResult>;
  /** Answers a parked leg without connecting it; false if it fails. */
  answer(callControlId: string): Promise<boolean>;
  /** Ends a leg. Returns true for ended or unknown legs; false if the provider was unreachable or refused. */
  hangUp(callControlId: string): Promise<boolean>;
  /** Deletes a browser's credential. Returns true also if it does not exist; false if the provider was unreachable or refused. */
  deleteCredential(id: string): Promise<boolean>;
  status(callControlId: string): Promise<LegStatus>;
  /** At most `limit` live legs of the connection; none if the provider is unreachable. */
  liveLegs(limit: number): Promise<LiveLeg[]>;
  /**
   * Raises a running call's limit to `maxSeconds` from its answer, and renews the mark of its far leg. Only for a connection that has the
   * command.
   */
  extend(callControlId: string, to: { readonly maxSeconds: number; readonly farLegMark: string }): Promise<ExtendResult>;
  /** Answers a parked leg and echoes its sound; false if it fails. Only for a connection that has the command. */
  echo(callControlId: string, maxSeconds: number): Promise<boolean>;
  /** Hands a browser's leg over to another browser session of its customer; false if the provider cannot. */
  move(callControlId: string, page: { session: string; session_mark: string }): Promise<boolean>;
}

export function createProviderCommands(
  telnyx: Telnyx,
  connectionId: string,
  secrets: Pick<CallSecrets, "commandId">,
  log: Logger,
): ProviderCommands {
  return {
    transfer: (command) => transferLeg(telnyx, secrets, command),

    async answer(callControlId) {
      try {
        await telnyx.calls.actions.answer(callControlId, { command_id: secrets.commandId("answer", callControlId) });
        return true;
      } catch (error) {
        log.warn({ err: providerError(error), call_control_id: callControlId }, "leg could not be answered");
        return false;
      }
    },

    async hangUp(callControlId) {
      try {
        await telnyx.calls.actions.hangup(callControlId, {});
        return true;
      } catch (error) {
        const known = providerError(error);
        if (isOver(known)) return true;
        log.warn({ err: known, call_control_id: callControlId }, "leg could not be ended");
        return false;
      }
    },

    deleteCredential: (id) => deleteCredential(telnyx, id, log),

    async liveLegs(limit) {
      try {
        return await listLiveLegs(telnyx, connectionId, limit);
      } catch (error) {
        log.warn({ err: providerError(error) }, "live legs not available");
        return [];
      }
    },

    async extend(callControlId, { maxSeconds: seconds, farLegMark: client_state }) {
      const body = { time_limit_secs: seconds, client_state, command_id: secrets.commandId("extend", callControlId, seconds) };
      try {
        await telnyx.post(`/calls/${encodeURIComponent(callControlId)}/actions/extend`, { body });
        return "accepted";
      } catch (error) {
        const known = providerError(error);
        log.info({ err: known, call_control_id: callControlId }, "limit of a call could not be raised");
        return isRefusal(known) && hasCode(known, INVALID_PARAMETER) ? "longer" : "later";
      }
    },

    async echo(callControlId, maxSeconds) {
      const body = { time_limit_secs: maxSeconds, command_id: secrets.commandId("echo", callControlId) };
      try {
        await telnyx.post(`/calls/${encodeURIComponent(callControlId)}/actions/echo`, { body });
        return true;
      } catch (error) {
        log.warn({ err: providerError(error), call_control_id: callControlId }, "echo could not be started");
        return false;
      }
    },

    async move(callControlId, page) {
      try {
        await telnyx.post(`/calls/${encodeURIComponent(callControlId)}/actions/move`, { body: page });
        return true;
      } catch (error) {
        log.info({ err: providerError(error), call_control_id: callControlId }, "call could not be moved");
        return false;
      }
    },

    status: (callControlId) => legStatus(telnyx, callControlId, log),
  };
}

function pricesBody({ sale, trunks }: CallPrices): object {
  return { sale: rateBody(sale), trunks: trunks.map(({ trunk, cost }) => ({ trunk, cost: cost && rateBody(cost) })) };
}

function rateBody({ ratePerMinuteMicros, firstIntervalSeconds, nextIntervalSeconds }: BillingRate): object {
  return {
    rate_per_minute: rateToDecimalString(ratePerMinuteMicros),
    first_interval: firstIntervalSeconds,
    next_interval: nextIntervalSeconds,
  };
}

async function transferLeg(
  telnyx: Telnyx,
  secrets: Pick<CallSecrets, "commandId">,
  { callControlId, to, from, fromProof, answered, maxSeconds, prices, farLegMark }: TransferCommand,
): Promise<TransferResult> {
  try {
    const body = {
      to,
      from,
      ...(fromProof === null ? {} : { from_proof: fromProof }),
      time_limit_secs: maxSeconds,
      timeout_secs: RING_LIMIT_SECONDS,
      early_media: true,
      ...(prices === null ? {} : { prices: pricesBody(prices) }),
      target_leg_client_state: farLegMark,
      command_id: secrets.commandId("transfer", callControlId, from, ...(answered ? ["answered"] : [])),
    };
    await telnyx.calls.actions.transfer(callControlId, body);
    return { result: "accepted" };
  } catch (error) {
    const known = providerError(error);
    if (!isRefusal(known)) return { result: "unknown", error: known };
    const because = isOver(known) ? "ended" : needsAnswer(known) ? "unanswered" : "other";
    return { result: "refused", because, error: known };
  }
}

async function deleteCredential(telnyx: Telnyx, id: string, log: Logger): Promise<boolean> {
  try {
    await telnyx.telephonyCredentials.delete(id);
    return true;
  } catch (error) {
    const known = providerError(error);
    if (isUnknown(known)) return true;
    log.warn({ err: known, credential: id }, "voice credential could not be deleted");
    return false;
  }
}

/** An extension of our exchange: null for an unanswered leg. Telnyx does not report it here. */
function answerTime(data: object): Date | null | undefined {
  const value = (data as { answered_at?: unknown }).answered_at;
  return value === undefined ? undefined : dateOf(value);
}

function dateOf(value: unknown): Date | null {
  if (typeof value !== "string") return null;
  const date = new Date(value);
  return Number.isNaN(date.getTime()) ? null : date;
}

async function legStatus(telnyx: Telnyx, callControlId: string, log: Logger): Promise<LegStatus> {
  try {
    const { data } = await telnyx.calls.retrieveStatus(callControlId);
    if (data === undefined) return { state: "unreachable" };
    if (data.is_alive) return { state: "alive" };
    const endedAt = dateOf(data.end_time);
    return endedAt === null ? { state: "silent" } : { state: "ended", endedAt, answeredAt: answerTime(data) };
  } catch (error) {
    const known = providerError(error);
    if (isUnknown(known)) return { state: "lost" };
    log.warn({ err: known, call_control_id: callControlId }, "leg status not available");
    return { state: "unreachable" };
  }
}

const liveLegsPage = z.object({
  data: z.array(z.object({ call_control_id: z.string(), call_duration: z.number().catch(0) })).default([]),
  meta: z.object({ cursors: z.object({ after: z.string().nullish() }).nullish() }).nullish(),
});

interface LiveLeg {
  callControlId: string;
  /** Age of the leg. */
  seconds: number;
}

/**
 * Lists at most `limit` live legs of a connection. Reads the pages by cursor, because the client's own pagination counts pages and
 * would request the first one repeatedly.
 */
async function listLiveLegs(telnyx: Telnyx, connectionId: string, limit: number): Promise<LiveLeg[]> {
  const legs = new Map<string, LiveLeg>();
  let after: string | null = null;
  for (let page = 0; page < MAX_PAGES; page++) {
    const query = { "page[limit]": LEGS_A_PAGE, ...(after === null ? {} : { "page[after]": after }) };
    const path = `/connections/${encodeURIComponent(connectionId)}/active_calls`;
    const { data, meta } = liveLegsPage.parse(await telnyx.get<unknown>(path, { query }));
    const before = legs.size;
    for (const leg of data) legs.set(leg.call_control_id, { callControlId: leg.call_control_id, seconds: leg.call_duration });
    after = meta?.cursors?.after ?? null;
    if (after === null || legs.size === before || legs.size >= limit) break;
  }
  return [...legs.values()].slice(0, limit);
}
