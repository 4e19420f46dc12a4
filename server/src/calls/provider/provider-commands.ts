import type { BillingRate } from "@farline/domain/calls/charge.ts";
import { rateToDecimalString } from "@farline/domain/money.ts";
import { NotFoundError, type Telnyx } from "telnyx";
import type { Logger } from "pino";
import type { CallSecrets } from "../call-secrets.ts";
import type { TrunkCost } from "../../rates/rates.ts";
import { RING_LIMIT_SECONDS } from "../call-times.ts";
import { hasCode, isOver, isRefusal, providerError } from "./provider-errors.ts";

const LEGS_A_PAGE = 250;
/** The provider's code for a limit below the call's current one. */
const INVALID_PARAMETER = "10015";

/** `refused`: definitely not dialled. `unknown`: the provider did not respond and may have dialled. */
export type TransferResult =
  | { result: "accepted" }
  | { result: "refused"; ended: boolean; error: Error }
  | { result: "unknown"; error: Error };

/**
 * `longer`: the call's limit is already at least that. `later`: the call has ended or is not connected yet, or the provider did not respond.
 */
export type ExtendResult = "accepted" | "longer" | "later";

export type LegStatus =
  | { state: "alive" }
  /** `answeredAt` is null if the leg was never answered, undefined if the provider does not say. */
  | { state: "ended"; endedAt: Date | null; answeredAt: Date | null | undefined }
  /** The provider does not know the leg, or no longer. */
  | { state: "lost" }
  | { state: "unreachable" };

/** What decides which trunks may carry a call, and in which order. */
export interface CallPrices {
  /** What the customer pays. */
  readonly sale: BillingRate;
  readonly trunks: readonly TrunkCost[];
}

export interface TransferCommand {
  callControlId: string;
  /** E.164 */
  to: string;
  /** E.164, shown to the called person. */
  from: string;
  /** Our exchange's proof for a customer's number; null for the service's number, or if the provider keeps its own list. */
  fromProof: string | null;
  /** The first command was refused. */
  again?: boolean;
  /** Seconds from the answer after which the provider itself ends the leg. */
  maxSeconds: number;
  /** Only for a connection that takes them. */
  prices: CallPrices | null;
  farLegMark: string;
}

export interface LivingLeg {
  callControlId: string;
  /** Since it began. */
  seconds: number;
}

/** Commands to the voice provider. Network errors are results, not rejections. */
export interface ProviderCommands {
  /** Dials for a parked leg. The provider ignores repetitions within a minute. */
  transfer(command: TransferCommand): Promise<TransferResult>;
  /** Ends a leg. Returns true for ended or unknown legs; false if the provider was unreachable or refused. */
  hangUp(callControlId: string): Promise<boolean>;
  status(callControlId: string): Promise<LegStatus>;
  /** Legs that live at the connection, at most `most`; none if the provider cannot be asked. */
  livingLegs(most: number): Promise<LivingLeg[]>;
  /** Raises a running call's limit to `maxSeconds` from its answer. Only for a connection that has the command. */
  extend(callControlId: string, maxSeconds: number): Promise<ExtendResult>;
  /** Answers a parked leg and echoes its sound; false if it fails. Only for a connection that has the command. */
  echo(callControlId: string, maxSeconds: number): Promise<boolean>;
}

export function createProviderCommands(
  telnyx: Telnyx,
  connectionId: string,
  secrets: Pick<CallSecrets, "commandId">,
  log: Logger,
): ProviderCommands {
  return {
    async transfer({ callControlId, to, from, fromProof, again = false, maxSeconds, prices, farLegMark }) {
      try {
        await telnyx.calls.actions.transfer(callControlId, {
          to,
          from,
          ...(fromProof === null ? {} : { from_proof: fromProof }),
          time_limit_secs: maxSeconds,
          timeout_secs: RING_LIMIT_SECONDS,
          early_media: true,
          ...(prices === null ? {} : { prices: pricesBody(prices) }),
          target_leg_client_state: farLegMark,
          command_id: secrets.commandId("transfer", callControlId, ...(again ? ["again"] : [])),
        });
        return { result: "accepted" };
      } catch (error) {
        const known = providerError(error);
        if (!isRefusal(known)) return { result: "unknown", error: known };
        return { result: "refused", ended: isOver(known), error: known };
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

    async livingLegs(most) {
      try {
        return await listLivingLegs(telnyx, connectionId, most);
      } catch (error) {
        log.warn({ err: providerError(error) }, "living legs not available");
        return [];
      }
    },

    async extend(callControlId, maxSeconds) {
      const body = { time_limit_secs: maxSeconds, command_id: secrets.commandId("extend", callControlId, maxSeconds) };
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

/** Our exchange adds `answered_at`, null for an unanswered leg. Telnyx does not report it here. */
function answerTime(data: object): Date | null | undefined {
  const value = (data as { answered_at?: unknown }).answered_at;
  return value === undefined ? undefined : dateOf(value);
}

function dateOf(value: unknown): Date | null {
  if (typeof value !== "string") return null;
  const date = new Date(value);
  return Number.isNaN(date.getTime()) ? null : date;
}

async function listLivingLegs(telnyx: Telnyx, connectionId: string, most: number): Promise<LivingLeg[]> {
  const legs: LivingLeg[] = [];
  for await (const leg of telnyx.connections.listActiveCalls(connectionId, { "page[size]": LEGS_A_PAGE })) {
    legs.push({ callControlId: leg.call_control_id, seconds: leg.call_duration });
    if (legs.length >= most) break;
  }
  return legs;
}

async function legStatus(telnyx: Telnyx, callControlId: string, log: Logger): Promise<LegStatus> {
  try {
    const { data } = await telnyx.calls.retrieveStatus(callControlId);
    if (data === undefined) return { state: "unreachable" };
    return data.is_alive ? { state: "alive" } : { state: "ended", endedAt: dateOf(data.end_time), answeredAt: answerTime(data) };
  } catch (error) {
    const known = providerError(error);
    if (known instanceof NotFoundError) return { state: "lost" };
    log.warn({ err: known, call_control_id: callControlId }, "leg status not available");
    return { state: "unreachable" };
  }
}
