import { randomBytes, randomUUID } from "node:crypto";
import { settleWithin } from "@farline/domain/durations.ts";
import type { SipMessage, SipRequest, SipResponse } from "@farline/sip/message/message.ts";
import { tagOf } from "@farline/sip/message/name-address.ts";
import { parseReasons, q850Cause } from "@farline/sip/message/reason.ts";
import { header } from "@farline/sip/message/response.ts";
import type { FailureCause } from "@farline/sip/transaction/step.ts";
import type { Target } from "@farline/sip/transport/target.ts";
import { type CallerIdentity, callerIdentity } from "../caller-identity.ts";
import { dialledUser, phoneParameters } from "../dialled-user.ts";
import { storeCall } from "../stored-call.ts";
import type { DialRequest, FarEnd, FarEvents } from "../trunk.ts";
import type { TrunkLine } from "../trunk-line.ts";
import { reasonHeader } from "../trunk-requests.ts";
import { sipUri } from "../trunk-uri.ts";
import { CallDialog } from "./call-dialog.ts";
import { inviteMessage } from "./invite-message.ts";
import { firstTerms, type InviteTerms, termsAfter } from "./retry-invite.ts";

/** The call counts as over if a CANCEL or BYE is not confirmed within this time. */
const CONFIRM_TIMEOUT_MS = 4_000;
/** Dialogs of one INVITE. No carrier forks more often. */
const MAX_DIALOGS = 20;
const CALL_ID_BYTES = 8;
const EARLY_DIALOG_TERMINATED = 199;
/** No carrier's text is longer. */
const MAX_REASON_CHARACTERS = 200;
const FAILED: Readonly<Record<FailureCause, { readonly sipStatus: number; readonly reason: string }>> = {
  timeout: { sipStatus: 408, reason: "Request Timeout" },
  transport: { sipStatus: 503, reason: "Transport Error" },
  full: { sipStatus: 503, reason: "Too many transactions" },
};

/** Events of one INVITE. */
export interface AttemptEvents extends FarEvents {
  /** A response arrived, even 100. */
  onResponse(): void;
}

interface AttemptOptions {
  readonly line: TrunkLine;
  readonly request: DialRequest;
  /** The exchange's own number, E.164. */
  readonly exchangeNumber: string;
  readonly events: AttemptEvents;
}

/** One call over one trunk: its INVITE, resent if the carrier requires it, and the resulting dialogs. */
export class CallAttempt {
  /** Begins with the session's id, by which operators find the call, and ends with what nobody can guess. */
  readonly callId: string;
  /** A provisional response other than 100 has arrived: no fail-over from now on. */
  progressed = false;
  readonly #options: AttemptOptions;
  readonly #identity: CallerIdentity;
  readonly #tag = randomUUID();
  #cseq = 0;
  #terms: InviteTerms;
  #invite: SipRequest | null = null;
  /** By the far end's tag. */
  readonly #dialogs = new Map<string, CallDialog>();
  /** The one that answered. */
  #session: CallDialog | null = null;
  /** The fork that brought early media last, which is the one to hear (RFC 3960 §3.1). */
  #early: CallDialog | null = null;
  #ended = false;
  #cancelledBy: "us" | "timeout" | null = null;
  #hangingUp: Promise<void> | null = null;
  #confirmCancel: (() => void) | null = null;

  constructor(options: AttemptOptions) {
    this.#options = options;
    const { line, request } = options;
    const { trunk } = line;
    this.callId = `${request.sessionId}-${randomBytes(CALL_ID_BYTES).toString("hex")}`;
    this.#identity = callerIdentity(trunk, request.from, options.exchangeNumber);
    this.#terms = firstTerms(sipUri(dialledUser(trunk, request.to), trunk.host, trunk.port, phoneParameters(trunk)));
    this.#send();
  }

  get line(): TrunkLine {
    return this.#options.line;
  }

  /** Sends CANCEL or BYE. Resolves when the far end has confirmed or after 4 s. */
  hangUp(by: "us" | "timeout", reason?: string): Promise<void> {
    if (this.#hangingUp === null)
      this.#hangingUp = this.#ended
        ? Promise.resolve()
        : this.#session === null
          ? this.#cancel(by, reason)
          : this.#bye(this.#session, reason);
    return this.#hangingUp;
  }

  /** The address of the trunk fails. Returns whether the trunk has another. */
  avoidAddress(): boolean {
    return this.#invite !== null && this.line.avoidAddressOf(this.#invite);
  }

  /** Gives up on a trunk that does not respond: no further events, and a late answer is hung up. */
  abandon(): void {
    this.#ended = true;
    this.#sendCancel();
    if (this.#invite !== null) this.line.replaceDeadConnection(this.#invite);
  }

  /** The trunk's connection broke. A call that rings or is answered goes on over the next connection; another trunk may take one that is neither. */
  connectionLost(peer: Target): void {
    if (this.#invite === null || !this.line.wentOver(this.#invite, peer)) return;
    if (this.#session !== null && !this.#ended) this.#session.probe();
    if (this.#ended || this.progressed || this.#session !== null) return;
    if (this.#cancelledBy === null) this.#sendCancel();
    this.#end({ sipStatus: 503, reason: "Connection lost", by: this.#cancelledBy ?? "failure" });
  }

  /** Handles a request of the far end with this Call-ID. */
  receive(request: SipRequest): void {
    const dialog = this.#dialogOf(request);
    if (dialog === undefined) this.line.respond(request, 481, "Call/Transaction Does Not Exist");
    else dialog.receive(request);
  }

  receiveAck(ack: SipRequest): void {
    this.#dialogOf(ack)?.receiveAck(ack);
  }

  /** The far end gave up its re-INVITE, which has been refused. */
  receiveCancel(invite: SipRequest): void {
    this.#dialogOf(invite)?.receiveCancel(invite);
  }

  /** The far end did not acknowledge our answer to its re-INVITE (RFC 3261 §13.3.1.4). */
  unacknowledged(): void {
    this.#expire();
  }

  #dialogOf(request: SipRequest): CallDialog | undefined {
    return [...this.#dialogs.values()].find((dialog) => dialog.has(request));
  }

  #send(): void {
    const { line, request } = this.#options;
    const options = { line, request, identity: this.#identity, callId: this.callId, tag: this.#tag, terms: this.#terms };
    line.send(
      (via) => {
        this.#cseq += 1;
        return inviteMessage({ ...options, cseq: this.#cseq }, via);
      },
      { uri: line.routes[0] ?? this.#terms.target },
      {
        onSend: (invite) => {
          this.#invite = invite;
          if (!this.#ended) this.#options.events.onDialog(storeCall({ trunk: line.trunk.name, invite, dialog: null }));
        },
        isWanted: () => !this.#ended && this.#cancelledBy === null,
        onResponse: (response) => this.#onResponse(response),
        onFailed: (cause) => this.#end({ ...FAILED[cause], by: this.#cancelledBy ?? "failure" }),
      },
    );
  }

  #onResponse(response: SipResponse): void {
    if (!this.#ended) this.#options.events.onResponse();
    if (response.status >= 300) this.#onRefused(response);
    else if (response.status >= 200) this.#onAccept(response);
    else if (response.status > 100) this.#onProgress(response);
  }

  #onProgress(response: SipResponse): void {
    const dialog = this.#dialogAfter(response);
    const before = dialog?.farSdp;
    const said = dialog?.ring(response);
    if (dialog === null || said === undefined || this.#ended) return;
    // A fork that says the same again does not take the call back.
    const sdp = said === before ? null : said;
    // A fork that is over says nothing of the call (RFC 6228).
    if (response.status === EARLY_DIALOG_TERMINATED) return;
    this.progressed = true;
    if (sdp !== null) this.#early = dialog;
    const status = ([180, 181, 182, 183] as const).find((known) => known === response.status) ?? 183;
    if (this.#cancelledBy === null) this.#options.events.onProgress({ status, sdp });
  }

  #onAccept(response: SipResponse): void {
    const dialog = this.#dialogAfter(response);
    if (dialog === null || this.#invite === null) return;
    const isRetransmission = dialog.answered;
    dialog.answer(this.#invite, response);
    if (isRetransmission) return;
    // Some carriers change the tag in an answer without SDP, and mean their early media.
    const sdp = dialog.farSdp ?? this.#early?.farSdp ?? null;
    // End the dialog of a second fork, of an answer that crossed our CANCEL or came after we gave up, and of an answer without SDP.
    if (this.#ended || this.#session !== null || this.#cancelledBy !== null || sdp === null) {
      void dialog.bye();
      if (this.#session === null)
        this.#end({
          sipStatus: this.#cancelledBy === null ? 488 : 487,
          reason: "Request Terminated",
          by: this.#cancelledBy ?? "failure",
        });
      return;
    }
    this.#session = dialog;
    dialog.startTimer(response);
    this.#options.events.onAnswer({ sdp, from: this.#identity.shown, dialog: this.#stored(dialog) });
  }

  #stored({ invite, state }: CallDialog): string {
    return storeCall({ trunk: this.line.trunk.name, invite, dialog: state });
  }

  /** Creates the dialog of a response. Null for a fork too many. */
  #dialogAfter(response: SipResponse): CallDialog | null {
    const tag = tagOf(response.to) ?? "";
    const known = this.#dialogs.get(tag);
    if (known !== undefined) return known;
    if (this.#invite === null || (this.#dialogs.size >= MAX_DIALOGS && response.status < 200)) return null;
    const dialog: CallDialog = new CallDialog({
      line: this.line,
      invite: this.#invite,
      response,
      sdp: this.#options.request.sdp,
      terms: this.#terms,
      events: {
        onRenegotiate: (sdp) => this.#options.events.onRenegotiate(sdp),
        onBye: (bye) => this.#onBye(dialog, bye),
        onExpired: () => this.#expire(),
        onMoved: () => {
          if (dialog === this.#session && !this.#ended) this.#options.events.onDialog(this.#stored(dialog));
        },
        // Another fork must not move the sound of the one that answered.
        isLive: () => !this.#ended && (this.#session === null || this.#session === dialog),
      },
    });
    this.#dialogs.set(tag, dialog);
    return dialog;
  }

  #onBye(dialog: CallDialog, bye: SipRequest): void {
    const reason = readReason(bye);
    const end = { reason: reason.text ?? "BYE", by: "callee", q850Cause: reason.q850Cause } as const;
    if (dialog === this.#session) return this.#end({ sipStatus: 200, ...end });
    // The far end hung up, and its answer is lost or still to come. Others may ring on.
    if (this.#session !== null || this.#dialogs.size > 1) return;
    this.#sendCancel();
    this.#end({ sipStatus: 480, ...end });
  }

  #onRefused(response: SipResponse): void {
    if (this.#ended) return;
    const { trunk } = this.line;
    const number = this.#options.request.to;
    const terms = this.#cancelledBy === null ? termsAfter(response, this.#terms, { trunk, number }) : null;
    if (terms !== null) {
      this.#terms = terms;
      this.#dialogs.clear();
      this.#early = null;
      return this.#send();
    }
    const reason = readReason(response);
    this.#end({
      sipStatus: response.status,
      reason: reason.text ?? response.reason,
      by: this.#cancelledBy ?? "callee",
      q850Cause: reason.q850Cause,
      retryAfterSeconds: retryAfterOf(response),
    });
  }

  #expire(): void {
    if (this.#ended) return;
    void this.#session?.bye();
    this.#end({ sipStatus: 408, reason: "Session not refreshed", by: "failure" });
  }

  #cancel(by: "us" | "timeout", reason?: string): Promise<void> {
    this.#cancelledBy = by;
    if (this.#invite === null) {
      this.#end({ sipStatus: 487, reason: "Request Terminated", by });
      return Promise.resolve();
    }
    this.#sendCancel(reason);
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.#end({ sipStatus: 487, reason: "Request Terminated", by }), CONFIRM_TIMEOUT_MS);
      this.#confirmCancel = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  /** The CANCEL waits for the first provisional response. */
  #sendCancel(reason?: string): void {
    if (this.#invite === null) return;
    this.line.cancel(this.#invite, reason === undefined ? undefined : reasonHeader("SIP", 487, reason));
  }

  async #bye(session: CallDialog, reason?: string): Promise<void> {
    const confirmed = session.bye(reason);
    this.#end({ sipStatus: 200, reason: reason ?? "BYE", by: "us" });
    await settleWithin(confirmed, CONFIRM_TIMEOUT_MS, () => undefined);
  }

  #end(end: Omit<FarEnd, "answered" | "trunk" | "q850Cause"> & { q850Cause?: number | null }): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#session?.stop();
    this.#options.events.onEnd({
      q850Cause: null,
      ...end,
      answered: this.#session !== null,
      trunk: this.line.trunk.name,
    });
    this.#confirmCancel?.();
  }
}

/** The Retry-After of a 503 (RFC 3261 §21.5.4). With other statuses it speaks of the called party, not of the carrier. */
function retryAfterOf(response: SipResponse): number | undefined {
  const seconds = response.status === 503 ? /^\s*(\d{1,9})/.exec(header(response, "retry-after") ?? "")?.[1] : undefined;
  return seconds === undefined ? undefined : Number(seconds);
}

/** The Reason headers of a message (RFC 3326). */
function readReason(message: SipMessage): { readonly text: string | null; readonly q850Cause: number | null } {
  const reasons = parseReasons(message.headers.get("reason") ?? []);
  const text = reasons.map((reason) => reason.text ?? "").find((stated) => stated !== "");
  return { text: text?.slice(0, MAX_REASON_CHARACTERS) ?? null, q850Cause: q850Cause(reasons) };
}
