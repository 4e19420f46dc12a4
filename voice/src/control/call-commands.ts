import type { BillingRate } from "@farline/domain/calls/charge.ts";
import { fromDecimalString } from "@farline/domain/money.ts";
import type { FastifyInstance } from "fastify";
import { z } from "zod";
import type { CallPrices } from "@farline/domain/rates/find-offers.ts";
import { CALL_ID_HEADER, wellFormedCallId } from "@farline/contract/api/log-headers.ts";
import type { Call } from "../calls/call.ts";
import { type CallLeg, CallProblem, legSeconds } from "../calls/call-leg.ts";
import type { Calls } from "../calls/calls.ts";
import type { NodeResponse } from "../nodes/node-client.ts";
import type { Nodes } from "../nodes/nodes.ts";
import { nameSession } from "../log.ts";
import { RecentCommands } from "./recent-commands.ts";
import { askOtherNodes, forwardToOwner } from "./forward-command.ts";
import { notFound } from "./telnyx-error.ts";

/** The provider's default and maximum `time_limit_secs`. */
const MAX_TIME_LIMIT_SECS = 14_400;
const DEFAULT_RING_SECS = 30;
const MAX_INTERVAL_SECS = 3_600;
const MAX_TRUNKS = 50;
const clientState = z.base64().max(8192);
const command = z.object({ client_state: clientState.optional(), command_id: z.string().min(1).max(255).optional() });

/** Only X- headers may reach the carrier, so that no command can change the signalling. */
const customHeader = z.object({
  name: z.string().regex(/^X-[A-Za-z0-9-]{1,60}$/, "must start with X-"),
  value: z
    .string()
    .max(256)
    .regex(/^[\x20-\x7e]*$/, "must be printable ASCII"),
});
const billingRate = z.object({
  rate_per_minute: z.string().regex(/^\d{1,4}(\.\d{1,6})?$/, "must be a decimal string of US dollars"),
  first_interval: z.int().min(1).max(MAX_INTERVAL_SECS),
  next_interval: z.int().min(1).max(MAX_INTERVAL_SECS),
});
const transferCommand = command.extend({
  to: z.string().max(64),
  from: z.string().max(64).optional(),
  /** Our extension: the exchange's proof of a customer's number. */
  from_proof: z.string().max(100).optional(),
  from_display_name: z
    .string()
    .max(128)
    .regex(/^[^"\\<>\p{Cc}]*$/u, "has a character that is not allowed")
    .optional(),
  time_limit_secs: z.int().min(1).max(MAX_TIME_LIMIT_SECS).default(MAX_TIME_LIMIT_SECS),
  timeout_secs: z.int().min(5).max(600).default(DEFAULT_RING_SECS),
  early_media: z.boolean().default(true),
  target_leg_client_state: clientState.optional(),
  custom_headers: z.array(customHeader).max(10).default([]),
  /** Our extension: the sale price and the trunks' rates, so that the cheapest trunk carries the call and none at a loss. */
  prices: z
    .object({
      sale: billingRate,
      trunks: z.array(z.object({ trunk: z.string().min(1).max(64), cost: billingRate.nullable() })).max(MAX_TRUNKS),
    })
    .optional(),
});
const MAX_ECHO_SECS = 30;
const extendCommand = command.extend({ time_limit_secs: z.int().min(1).max(MAX_TIME_LIMIT_SECS) });
const echoCommand = command.extend({ time_limit_secs: z.int().min(1).max(MAX_ECHO_SECS).default(MAX_ECHO_SECS) });
/** The session that the browser got at its sign-in, and the `name` of its credential. */
const moveCommand = command.extend({ session: z.uuid(), session_mark: z.string().max(255).optional() });
const rejectCommand = command.extend({ cause: z.enum(["CALL_REJECTED", "USER_BUSY"]) });
const digitsCommand = command.extend({ digits: z.string().min(1).max(100) });
const stateCommand = z.object({ client_state: clientState });

type Command = z.infer<typeof command>;
type Found = { readonly leg: CallLeg; readonly call: Call };

function transfer({ call, leg }: Found, body: z.infer<typeof transferCommand>, callId: string | undefined): void {
  if (leg.side !== "browser") throw new CallProblem("wrong_state", "Only the parked leg can be transferred");
  call.transfer({
    to: body.to,
    callId,
    timeLimitSecs: body.time_limit_secs,
    ringTimeoutSecs: body.timeout_secs,
    earlyMedia: body.early_media,
    headers: Object.fromEntries(body.custom_headers.map(({ name, value }) => [name, value])),
    from: body.from,
    fromProof: body.from_proof,
    displayName: body.from_display_name,
    targetClientState: body.target_leg_client_state,
    prices: body.prices && callPrices(body.prices),
  });
}

function callPrices({ sale, trunks }: NonNullable<z.infer<typeof transferCommand>["prices"]>): CallPrices {
  return {
    sale: rateOf(sale),
    costs: new Map(trunks.map(({ trunk, cost }) => [trunk, cost === null ? null : rateOf(cost)])),
  };
}

function rateOf(rate: z.infer<typeof billingRate>): BillingRate {
  return {
    ratePerMinuteMicros: fromDecimalString(rate.rate_per_minute),
    firstIntervalSeconds: rate.first_interval,
    nextIntervalSeconds: rate.next_interval,
  };
}

interface CallCommandDeps {
  readonly calls: Calls;
  readonly connectionId: string;
  readonly nodes: Nodes;
  readonly move: (call: Call, to: { readonly sessid: string; readonly sessionName: string | undefined }) => void;
}

/** `POST /v2/calls/{id}/actions/…`, `GET /v2/calls/{id}`, `GET /v2/connections/{id}/active_calls`. */
export function callCommands(app: FastifyInstance, deps: CallCommandDeps): void {
  const { calls, connectionId, nodes } = deps;
  const recentCommands = new RecentCommands();
  const config = { access: "exchange-key" } as const;
  const ofLeg = { config, preHandler: forwardToOwner(nodes, ({ params }) => nodes.ownerOfLeg((params as { id: string }).id)) };

  /** Registers a command: finds its live call, ignores repetitions, and runs it. */
  function action<T extends Command>(
    name: string,
    schema: z.ZodType<T>,
    run: (found: Found, body: T, callId: string | undefined) => void,
  ): void {
    app.post<{ Params: { id: string } }>(`/v2/calls/:id/actions/${name}`, ofLeg, async (request) => {
      const { id } = request.params;
      const body = schema.parse(request.body ?? {});
      const found = calls.find(id);
      if (found === null) throw notFound("There is no call with this call_control_id.");
      const { command_id: commandId } = body;
      const ok = { data: { result: "ok" } };
      const identity = commandId === undefined ? null : { controlId: id, action: name, commandId };
      if (identity !== null && !recentCommands.isNew(identity)) return ok;
      try {
        const { leg, call } = found;
        nameSession(leg.sessionId);
        if (call === null || call.over) throw new CallProblem("ended", "Call has already ended");
        run({ leg, call }, body, wellFormedCallId(request.headers[CALL_ID_HEADER]));
        if (body.client_state !== undefined) leg.clientState = body.client_state;
      } catch (error) {
        if (identity !== null) recentCommands.forget(identity);
        throw error;
      }
      return ok;
    });
  }

  action("transfer", transferCommand, transfer);
  action("hangup", command, ({ call }) => call.hangUp());
  action("reject", rejectCommand, ({ call }, body) => call.reject(body.cause));
  action("answer", command, ({ call }) => call.answer());
  // `extend`, `echo` and `move` are our extensions; the provider responds with 404.
  action("extend", extendCommand, ({ call }, body) => call.extend(body.time_limit_secs));
  action("echo", echoCommand, ({ call }, body) => call.echo(body.time_limit_secs));
  action("move", moveCommand, ({ call }, body) => deps.move(call, { sessid: body.session, sessionName: body.session_mark }));
  action("send_dtmf", digitsCommand, ({ call }, body) => call.sendDigits(body.digits));

  app.put<{ Params: { id: string } }>("/v2/calls/:id/actions/client_state_update", ofLeg, async (request) => {
    const body = stateCommand.parse(request.body ?? {});
    const found = calls.find(request.params.id);
    if (found === null) throw notFound("There is no call with this call_control_id.");
    if (found.call === null || found.call.over) throw new CallProblem("ended", "Call has already ended");
    found.leg.clientState = body.client_state;
    return { data: { result: "ok" } };
  });

  app.get<{ Params: { id: string } }>("/v2/calls/:id", ofLeg, async (request) => {
    const found = calls.find(request.params.id);
    if (found === null) throw notFound("There is no call with this call_control_id.");
    return { data: callRecord(found.leg) };
  });

  app.get<{ Params: { id: string } }>("/v2/connections/:id/active_calls", { config }, async (request) => {
    if (request.params.id !== connectionId) throw notFound("There is no connection with this id.");
    const others = (await askOtherNodes(nodes, request)).map(({ name, response }) => ({ name, records: recordsOf(response) }));
    // Oldest first.
    const data = [...calls.activeLegs().map(callRecord), ...others.flatMap(({ records }) => records ?? [])].toSorted(byStart);
    return {
      data,
      meta: {
        total_items: data.length,
        page_number: 1,
        page_size: data.length,
        total_pages: 1,
        cursors: { after: null, before: null },
        // Our extension: the list lacks these nodes' legs.
        missing_nodes: others.filter(({ records }) => records === null).map(({ name }) => name),
      },
    };
  });
}

/** The legs in another node's response; null if it is not a list. */
function recordsOf(response: NodeResponse | null): readonly CallRecord[] | null {
  const data: unknown = response?.status === 200 ? (JSON.parse(response.body) as { data?: unknown }).data : null;
  return Array.isArray(data) ? data : null;
}

type CallRecord = Readonly<Record<string, unknown>>;

function byStart(one: CallRecord, other: CallRecord): number {
  return String(one["start_time"]).localeCompare(String(other["start_time"]));
}

function callRecord(leg: CallLeg): CallRecord {
  return {
    record_type: "call",
    call_control_id: leg.controlId,
    call_leg_id: leg.legId,
    call_session_id: leg.sessionId,
    client_state: leg.clientState,
    is_alive: leg.state !== "hangup",
    call_duration: legSeconds(leg),
    start_time: leg.startedAt.toISOString(),
    end_time: leg.endedAt?.toISOString() ?? null,
    // Our extension: the service can charge exactly even if the answer event was lost.
    answered_at: leg.answeredAt?.toISOString() ?? null,
  };
}
