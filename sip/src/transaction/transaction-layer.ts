import type { SipMessage, SipRequest, SipResponse } from "../message/message.ts";
import { responseTo } from "../message/response.ts";
import { cancelFor } from "./derive-messages.ts";
import { type InviteClient, resumeInviteClient, startInviteClient, stepInviteClient } from "./invite-client.ts";
import { type InviteServer, startInviteServer, stepInviteServer } from "./invite-server.ts";
import { type NonInviteClient, startNonInviteClient, stepNonInviteClient } from "./non-invite-client.ts";
import { type NonInviteServer, startNonInviteServer, stepNonInviteServer } from "./non-invite-server.ts";
import type { ClientEvent, FailureCause, Output, ServerEvent, Step } from "./step.ts";
import { clientKey, isAckOf, serverKey } from "./transaction-keys.ts";

/** Where a transaction's messages go. */
export interface Hop {
  /** TCP or TLS: nothing is retransmitted. */
  readonly reliable: boolean;
}

/** The user of a client transaction. */
export interface ClientUser {
  /** Each response that is not a retransmission. To INVITE also each 2xx, because each needs its ACK (RFC 3261 §13.2.2.4). */
  onResponse(response: SipResponse): void;
  /** There will be no final response. */
  onFailed(cause: FailureCause): void;
}

/** The user of all server transactions. */
export interface ServerUser<H extends Hop> {
  onRequest(request: SipRequest, hop: H): void;
  /** The ACK to a 2xx, once. */
  onAck(ack: SipRequest): void;
  /** The INVITE was cancelled before its final response, which must now follow (RFC 3261 §9.2). */
  onCancelled(invite: SipRequest): void;
  /** No ACK to the final response arrived. */
  onUnacknowledged(invite: SipRequest, response: SipResponse): void;
}

interface TransactionLayerOptions<H extends Hop> {
  readonly send: (message: SipMessage, hop: H) => void;
  readonly user: ServerUser<H>;
  /** Client and server transactions each. Above it, requests of peers get 503. */
  readonly maxTransactions: number;
}

interface Client<H> {
  state: InviteClient | NonInviteClient;
  readonly hop: H;
  readonly user: ClientUser;
  cancelHeaders: SipRequest["headers"];
}

interface Server<H> {
  state: InviteServer | NonInviteServer;
  readonly hop: H;
}

/** The table of all transactions (RFC 3261 §17). Times are milliseconds of any monotonic clock. */
export class TransactionLayer<H extends Hop> {
  readonly #options: TransactionLayerOptions<H>;
  readonly #clients = new Map<string, Client<H>>();
  readonly #servers = new Map<string, Server<H>>();
  /** When `tick` is due at the latest; it may find nothing to do. Infinity: never. */
  nextTimer = Infinity;

  constructor(options: TransactionLayerOptions<H>) {
    this.#options = options;
  }

  get size(): number {
    return this.#clients.size + this.#servers.size;
  }

  /** Sends a request, except an ACK, which is no transaction. Its Via must have a new branch. */
  request(request: SipRequest, hop: H, user: ClientUser, now: number): void {
    if (this.#clients.size >= this.#options.maxTransactions) return user.onFailed("full");
    const start = request.method === "INVITE" ? startInviteClient : startNonInviteClient;
    const { state, outputs } = start(request, hop.reliable, now);
    this.#add(request, { state, hop, user, cancelHeaders: new Map() });
    this.#apply(request, outputs, now);
  }

  /** Takes over an unanswered INVITE of an earlier process, to cancel it. */
  resume(invite: SipRequest, hop: H, user: ClientUser): void {
    this.#add(invite, { state: resumeInviteClient(invite, hop.reliable), hop, user, cancelHeaders: new Map() });
  }

  /** Cancels an INVITE: once it has a provisional response, and never after its final one. @param headers for example Reason */
  cancel(invite: SipRequest, now: number, headers: SipRequest["headers"] = new Map()): void {
    const client = this.#clients.get(clientKey(invite));
    if (client === undefined) return;
    client.cancelHeaders = headers;
    this.#stepClient(client, { kind: "cancel" }, now);
  }

  /** Forgets a request whose response no longer matters. */
  abandon(request: SipRequest): void {
    this.#clients.delete(clientKey(request));
  }

  /** Responds to a request of a peer. Ignored after a final response, or when the transaction is over. */
  respond(request: SipRequest, response: SipResponse, now: number): void {
    const server = this.#servers.get(serverKey(request));
    if (server !== undefined) this.#stepServer(server, { kind: "respond", response }, now);
  }

  receive(message: SipMessage, hop: H, now: number): void {
    if (message.kind === "request") return this.#onRequest(message, hop, now);
    const client = this.#clients.get(clientKey(message));
    if (client !== undefined) this.#stepClient(client, { kind: "response", response: message }, now);
  }

  /** A message could not be sent. */
  transportFailed(message: SipMessage, now: number): void {
    const event = { kind: "transport_error" } as const;
    if (message.kind === "request") {
      const client = this.#clients.get(clientKey(message.method === "ACK" ? inviteOf(message) : message));
      if (client !== undefined) this.#stepClient(client, event, now);
      return;
    }
    const server = [...this.#servers.values()].find(({ state }) => state.response === message);
    if (server !== undefined) this.#stepServer(server, event, now);
  }

  /** A connection broke. @param uses whether a hop used it */
  connectionLost(uses: (hop: H) => boolean, now: number): void {
    for (const client of [...this.#clients.values()])
      if (uses(client.hop)) this.#stepClient(client, { kind: "connection_lost" }, now);
  }

  tick(now: number): void {
    this.nextTimer = Infinity;
    const due = ({ state }: { readonly state: { readonly retransmitAt: number; readonly endAt: number } }): boolean => {
      const at = Math.min(state.retransmitAt, state.endAt);
      if (at > now) this.nextTimer = Math.min(this.nextTimer, at);
      return at <= now;
    };
    for (const client of [...this.#clients.values()].filter(due)) this.#stepClient(client, { kind: "timer" }, now);
    for (const server of [...this.#servers.values()].filter(due)) this.#stepServer(server, { kind: "timer" }, now);
  }

  #add(request: SipRequest, client: Client<H>): void {
    this.#clients.set(clientKey(request), client);
    this.#await(client.state);
  }

  #onRequest(request: SipRequest, hop: H, now: number): void {
    const known = this.#servers.get(serverKey(request));
    if (known !== undefined) {
      this.#stepServer(known, { kind: "request", request }, now);
      if (request.method !== "ACK" || known.state.name !== "accepted") return;
    }
    if (request.method === "ACK") return this.#onAck(request, now);
    const { maxTransactions, send, user } = this.#options;
    if (this.#servers.size >= maxTransactions)
      return send(responseTo(request, 503, "Service Unavailable", { toTag: "full" }), hop);
    const start = request.method === "INVITE" ? startInviteServer : startNonInviteServer;
    const server: Server<H> = { state: start(request, hop.reliable, now), hop };
    this.#servers.set(serverKey(request), server);
    this.#await(server.state);
    if (request.method === "CANCEL") this.#onCancel(request, now);
    else user.onRequest(request, hop);
  }

  #onAck(ack: SipRequest, now: number): void {
    for (const server of this.#servers.values()) {
      const { state } = server;
      if (state.name !== "accepted" || state.retransmitAt === Infinity || !isAckOf(ack, state.request)) continue;
      this.#stepServer(server, { kind: "acknowledged" }, now);
      return this.#options.user.onAck(ack);
    }
  }

  /** RFC 3261 §9.2. */
  #onCancel(cancel: SipRequest, now: number): void {
    const invite = this.#servers.get(serverKey(cancel, "INVITE"));
    const toTag = invite?.state.response?.to.parameters.get("tag") ?? "cancel";
    const [status, reason] = invite === undefined ? [481, "Call/Transaction Does Not Exist"] : [200, "OK"];
    this.respond(cancel, responseTo(cancel, status, reason, { toTag }), now);
    if (invite?.state.name === "proceeding") this.#options.user.onCancelled(invite.state.request);
  }

  #stepClient(client: Client<H>, event: ClientEvent, now: number): void {
    const { request } = client.state;
    const { state, outputs } = stepAnyClient(client.state, event, now);
    client.state = state;
    this.#await(state);
    this.#apply(request, outputs, now);
    if (state.name === "terminated") this.#clients.delete(clientKey(request));
  }

  #apply(request: SipRequest, outputs: readonly Output[], now: number): void {
    const client = this.#clients.get(clientKey(request));
    if (client === undefined) return;
    const { hop, user, cancelHeaders } = client;
    for (const output of outputs) {
      if (output.kind === "send") this.#options.send(output.message, hop);
      else if (output.kind === "deliver") user.onResponse(output.response);
      else if (output.kind === "failed") user.onFailed(output.cause);
      else this.request(cancelFor(request, cancelHeaders), hop, NOBODY, now);
    }
  }

  #stepServer(server: Server<H>, event: ServerEvent, now: number): void {
    const { request, response } = server.state;
    const { state, outputs } = stepAnyServer(server.state, event, now);
    server.state = state;
    this.#await(state);
    if (state.name === "terminated") this.#servers.delete(serverKey(request));
    for (const output of outputs) {
      if (output.kind === "send") this.#options.send(output.message, server.hop);
      else if (output.kind === "failed" && response !== null) this.#options.user.onUnacknowledged(request, response);
    }
  }

  #await({ retransmitAt, endAt }: { readonly retransmitAt: number; readonly endAt: number }): void {
    this.nextTimer = Math.min(this.nextTimer, retransmitAt, endAt);
  }
}

/** A CANCEL's own response says nothing; the INVITE's final response counts. */
const NOBODY: ClientUser = { onResponse: () => undefined, onFailed: () => undefined };

type AnyClient = InviteClient | NonInviteClient;
type AnyServer = InviteServer | NonInviteServer;

function stepAnyClient(state: AnyClient, event: ClientEvent, now: number): Step<AnyClient> {
  return "cancel" in state ? stepInviteClient(state, event, now) : stepNonInviteClient(state, event, now);
}

function stepAnyServer(state: AnyServer, event: ServerEvent, now: number): Step<AnyServer> {
  return "intervalMs" in state ? stepInviteServer(state, event, now) : stepNonInviteServer(state, event, now);
}

/** The key of a refusal's ACK is that of its INVITE. */
function inviteOf(ack: SipRequest): SipRequest {
  return { ...ack, cseq: { ...ack.cseq, method: "INVITE" } };
}
