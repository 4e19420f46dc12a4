import { MICROPHONE_OPEN } from "@farline/contract/constants.ts";
import type { Logger } from "pino";
import type { z } from "zod";
import type { Calls } from "../calls/calls.ts";
import { CallProblem } from "../calls/call-leg.ts";
import type { CallEnd } from "../calls/hangup-causes.ts";
import { BrowserLine } from "./browser-line.ts";
import {
  attachParams,
  byeParams,
  callParams,
  errorCode,
  infoParams,
  inviteParams,
  type InviteParams,
  modifyParams,
} from "./frames.ts";
import type { SessionCall, VoiceSession } from "./voice-sessions.ts";

export class VertoError extends Error {
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

export interface CallRequest {
  readonly session: VoiceSession;
  readonly params: Record<string, unknown>;
  /** Sends the response. Later messages to the session arrive after it. */
  readonly reply: (result: Record<string, unknown>) => void;
}

type Handler = (request: CallRequest) => void | Promise<void>;

interface CallRequestDeps {
  readonly calls: Calls;
  readonly connectionId: string;
  readonly log: Logger;
}

function read<T>(schema: z.ZodType<T>, params: unknown): T {
  const parsed = schema.safeParse(params);
  if (!parsed.success) throw new VertoError(errorCode.invalidParams, "Invalid parameters");
  return parsed.data;
}

function callIdOf(params: { callID?: string | undefined; dialogParams?: { callID: string } | undefined }): string {
  const callId = params.dialogParams?.callID ?? params.callID;
  if (callId === undefined) throw new VertoError(errorCode.invalidParams, "callID is missing");
  return callId;
}

/** To reach the app with its text, a rejection must be a successful invite followed by a bye. */
function refused(status: number, reason: string): CallEnd {
  return { cause: status === 503 ? "unspecified" : "call_rejected", source: "callee", sipStatus: status, reason };
}

function park(session: VoiceSession, invite: InviteParams, deps: CallRequestDeps): void {
  const { callID, ...dialog } = invite.dialogParams;
  const line = new BrowserLine(session, callID);
  const { username, accountId, tokenExpiresAt } = session.account;
  if (session.hasEnded(callID)) return line.ended(refused(403, "Call is already over"));
  if (tokenExpiresAt.getTime() <= Date.now()) return line.ended(refused(403, "Login token has expired"));
  try {
    const call = deps.calls.park({
      accountId,
      username,
      connectionId: deps.connectionId,
      from: dialog.caller_id_number || username,
      to: dialog.destination_number,
      callerName: dialog.caller_id_name ?? null,
      clientState: dialog.clientState || null,
      customHeaders: dialog.custom_headers ?? [],
      offerSdp: invite.sdp,
      line,
    });
    session.calls.set(callID, { call, line });
  } catch (error) {
    if (!(error instanceof CallProblem)) throw error;
    line.ended(refused(503, error.message));
  }
}

function invite({ session, params, reply }: CallRequest, deps: CallRequestDeps): void {
  const parsed = inviteParams.safeParse(params);
  const callId = callIdOf(read(callParams, params));
  reply({ callID: callId, message: "CALL CREATED", sessid: session.sessid });
  // A repeated invite does not affect its call.
  if (session.calls.has(callId)) return;
  if (parsed.success) park(session, parsed.data, deps);
  else new BrowserLine(session, callId).ended(refused(403, "Invalid invite"));
}

function bye({ session, params, reply }: CallRequest): void {
  const { cause, causeCode, ...named } = read(byeParams, params);
  const callID = callIdOf(named);
  const ending = session.calls.get(callID);
  reply({ callID, cause: cause ?? "NORMAL_CLEARING", causeCode: causeCode ?? 16, message: "CALL ENDED", sessid: session.sessid });
  if (ending === undefined) return session.markEnded(callID);
  ending.line.hungUpByBrowser = true;
  ending.call.callerHungUp();
}

function liveCall(session: VoiceSession, callId: string): SessionCall {
  const found = session.calls.get(callId);
  if (found === undefined) throw new VertoError(errorCode.noSuchCall, "Call does not exist");
  return found;
}

async function modify({ session, params, reply }: CallRequest): Promise<void> {
  const change = read(modifyParams, params);
  const callID = callIdOf(change);
  const { call, line } = liveCall(session, callID);
  const { action } = change;
  if (action === "updateMedia") {
    if (change.sdp === undefined) throw new VertoError(errorCode.invalidParams, "sdp is missing");
    return reply({ action, callID, sdp: await call.restartMedia(change.sdp), sessid: session.sessid });
  }
  const held = action === "toggleHold" ? !line.held : action === "hold";
  call.hold(held);
  line.held = held;
  reply({ action, callID, holdState: held ? "held" : "active", sessid: session.sessid });
}

function info({ session, params, reply }: CallRequest): void {
  const { dtmf, msg, ...named } = read(infoParams, params);
  const callID = callIdOf(named);
  // The SDK handles no refusal of a message, and a call that has just ended needs no microphone.
  if (msg?.body === MICROPHONE_OPEN) session.calls.get(callID)?.call.microphoneIsOpen();
  if (dtmf !== undefined) liveCall(session, callID).call.sendDigits(dtmf.toUpperCase());
  reply({ message: "SENT", sessid: session.sessid });
}

/** The SDK's answer to our offer of new media. */
async function attach({ session, params, reply }: CallRequest): Promise<void> {
  const answer = read(attachParams, params);
  const callID = callIdOf(answer);
  await liveCall(session, callID).call.acceptMediaAnswer(answer.sdp);
  reply({ callID, message: "CALL ATTACHED", sessid: session.sessid });
}

/** With ICE-lite we do not need the browser's candidates. */
function candidate({ session, reply }: CallRequest): void {
  reply({ sessid: session.sessid });
}

export function callRequestHandlers(deps: CallRequestDeps): ReadonlyMap<string, Handler> {
  return new Map<string, Handler>([
    ["telnyx_rtc.invite", (request) => invite(request, deps)],
    ["telnyx_rtc.bye", bye],
    ["telnyx_rtc.modify", modify],
    ["telnyx_rtc.info", info],
    ["telnyx_rtc.attach", attach],
    ["telnyx_rtc.candidate", candidate],
    ["telnyx_rtc.endOfCandidates", candidate],
  ]);
}
