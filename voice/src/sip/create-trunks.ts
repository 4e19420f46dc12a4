import { randomUUID } from "node:crypto";
import {
  Grammar,
  IncomingRequestMessage,
  IncomingResponseMessage,
  type OutgoingRequestMessage,
  Parser,
  URI,
  type UserAgentCore,
} from "sip.js/lib/core/index.js";
import type { CallAttempt } from "./invite/call-attempt.ts";
import { keepBestChallenge } from "./digest.ts";
import { CallPlan, TrunkRouter } from "./routing/trunk-router.ts";
import { ALLOWED_METHODS, contactOf, createCore, isReal, refusedStatus, SDP_TYPE } from "./sip-core.ts";
import { byeOfStored, readStoredDialog } from "./stored-dialog.ts";
import { SipSocket } from "./sip-socket.ts";
import { TrunkAddresses } from "./trunk-addresses.ts";
import { TrunkCall } from "./invite/trunk-call.ts";
import type { DialRequest, OutboundCall, OutboundEvents, TrunkConfig, Trunks, TrunksOptions } from "./trunk.ts";

const DEFAULT_MAX_CALLS = 500;
const DEFAULT_FIRST_RESPONSE_MS = 4_000;
const PING_DEADLINE_MS = 4_000;
const CLOSE_DEADLINE_MS = 2_000;
/** The far end may repeat messages of a call that is over: RFC 3261 timers H and J. */
const AFTERLIFE_MS = 32_000;
const CONTACT_USER = /^trunk(\d+)$/;
const E164 = /^\+[1-9]\d{4,14}$/;
const HEADER_NAME = /^[A-Za-z][A-Za-z0-9-]{0,63}$/;
const HEADER_VALUE = /^[\x20-\x7e]{0,256}$/;

/** Open the SIP socket and be ready to dial. @throws the system's error when the port is taken. */
export async function createTrunks(config: readonly TrunkConfig[], options: TrunksOptions): Promise<Trunks> {
  return new TrunkSet(config, await SipSocket.bind(options.address.bound, options.port, options.log), options);
}

interface TrunkRoute {
  readonly trunk: TrunkConfig;
  readonly core: UserAgentCore;
}

class TrunkSet implements Trunks {
  readonly port: number;
  readonly #socket: SipSocket;
  readonly #options: TrunksOptions;
  readonly #routes: TrunkRoute[];
  readonly #router: TrunkRouter;
  readonly #calls = new Set<TrunkCall>();
  /** Our Call-IDs, each with its attempt; null for a request outside of a live call. */
  readonly #known = new Map<string, CallAttempt | null>();
  readonly #addresses: TrunkAddresses;
  readonly #afterlives = new Set<NodeJS.Timeout>();
  #closing: Promise<void> | null = null;

  constructor(config: readonly TrunkConfig[], socket: SipSocket, options: TrunksOptions) {
    this.#socket = socket;
    this.#options = options;
    this.port = socket.port;
    this.#routes = config.map((trunk, index) => ({
      trunk,
      core: createCore({ trunk, contactUser: `trunk${index}`, address: options.address.announced, socket, log: options.log }),
    }));
    this.#router = new TrunkRouter(config, { log: options.log });
    this.#addresses = new TrunkAddresses(config, options.log);
    socket.listen({
      message: (text) => this.#onMessage(text),
      knows: (callId) => this.#known.has(callId),
      trusts: (address) => this.#addresses.has(address),
    });
  }

  get activeCalls(): number {
    return this.#calls.size;
  }

  dial(request: DialRequest, events: OutboundEvents): OutboundCall {
    checkRequest(request);
    const full = this.#closing !== null || this.#calls.size >= (this.#options.maxCalls ?? DEFAULT_MAX_CALLS);
    const call: TrunkCall = new TrunkCall({
      request,
      ownNumber: this.#options.ownNumber,
      events,
      plan: full ? CallPlan.none("The exchange has too many calls") : this.#router.plan(request.to, request.prices ?? null),
      coreOf: (trunk) => this.#coreOf(trunk),
      firstResponseTimeoutMs: this.#options.firstResponseTimeoutMs ?? DEFAULT_FIRST_RESPONSE_MS,
      log: this.#options.log,
      opened: (attempt) => this.#known.set(attempt.callId, attempt),
      closed: (attempt) => this.#forgetLater(attempt.callId, () => attempt.release()),
      over: () => this.#calls.delete(call),
    });
    this.#calls.add(call);
    call.start();
    return call;
  }

  #coreOf(trunk: TrunkConfig): UserAgentCore {
    const route = this.#routes.find((one) => one.trunk === trunk);
    if (route === undefined) throw new Error(`There is no trunk ${trunk.name}.`);
    return route.core;
  }

  async options(): Promise<boolean> {
    const alive = await Promise.all(this.#routes.map((route) => this.#ping(route)));
    return alive.includes(true);
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    const deadline = Promise.withResolvers<void>();
    const timer = setTimeout(deadline.resolve, CLOSE_DEADLINE_MS);
    await Promise.race([Promise.all([...this.#calls].map((call) => call.hangUp("shutting down"))), deadline.promise]);
    clearTimeout(timer);
    for (const afterlife of this.#afterlives) clearTimeout(afterlife);
    this.#addresses.close();
    for (const route of this.#routes) route.core.dispose();
    await this.#socket.close();
  }

  async endDialog(dialog: string): Promise<void> {
    const stored = readStoredDialog(dialog);
    const route = this.#routes.find(({ trunk }) => trunk.name === stored?.trunk);
    if (stored === null || route === undefined) throw new Error("The stored dialog has no trunk of ours.");
    if (!(await this.#ask(route, byeOfStored(route.core, stored)))) throw new Error("The far end did not confirm its end.");
  }

  #ping(route: TrunkRoute): Promise<boolean> {
    const { core, trunk } = route;
    const target = new URI("sip", "", trunk.host, trunk.port);
    const callId = randomUUID();
    return this.#ask(
      route,
      core.makeOutgoingRequestMessage("OPTIONS", target, core.configuration.aor, target, { callId }, [
        `Contact: ${contactOf(core)}`,
      ]),
    );
  }

  /** Sends a request outside of a live call. Any final response proves that somebody is there (RFC 3261 §11). */
  #ask({ core }: TrunkRoute, message: OutgoingRequestMessage): Promise<boolean> {
    const { callId } = message;
    this.#known.set(callId, null);
    return new Promise((resolve) => {
      const done = (alive: boolean): void => {
        clearTimeout(timer);
        this.#forgetLater(callId);
        resolve(alive);
      };
      const timer = setTimeout(() => {
        this.#socket.abandon(message.branch ?? "", message.method);
        done(false);
      }, PING_DEADLINE_MS);
      core.request(message, {
        onAccept: () => done(true),
        onRedirect: () => done(true),
        onReject: ({ message: response }) => done(isReal(response)),
      });
    });
  }

  #onMessage(text: string): void {
    const [first] = this.#routes;
    const message = first === undefined ? undefined : Parser.parseMessage(text, first.core.loggerFactory.getLogger("sip.parser"));
    if (first === undefined || message === undefined) return;
    if (message instanceof IncomingResponseMessage) this.#onResponse(message);
    else if (message instanceof IncomingRequestMessage) this.#onRequest(message, first.core);
  }

  #onResponse(response: IncomingResponseMessage): void {
    this.#known.get(response.callId)?.heard();
    keepBestChallenge(response);
    const route = this.#routes.find(({ core }) => core.userAgentClients.has(response.viaBranch + response.method));
    if (route === undefined) return;
    // The library drops responses without Contact, which some carriers leave out of 18x: use the trunk's address then.
    const makesDialog = response.method === "INVITE" && (response.statusCode ?? 0) > 100 && (response.statusCode ?? 0) < 300;
    if (makesDialog && !response.hasHeader("contact")) addContact(response, `<sip:${route.trunk.host}:${route.trunk.port}>`);
    route.core.receiveIncomingResponseFromTransport(response);
  }

  #onRequest(request: IncomingRequestMessage, fallback: UserAgentCore): void {
    const index = CONTACT_USER.exec(request.ruri?.user ?? "")?.[1];
    const core = (index === undefined ? undefined : this.#routes[Number(index)]?.core) ?? fallback;
    const refused = refusedStatus(request);
    if (refused !== null)
      core.replyStateless(request, { statusCode: refused, extraHeaders: [`Allow: ${ALLOWED_METHODS.join(", ")}`] });
    else if (request.method === "OPTIONS" && !request.toTag) {
      core.replyStateless(request, {
        statusCode: 200,
        extraHeaders: [`Allow: ${ALLOWED_METHODS.join(", ")}`, "Accept: application/sdp"],
      });
    } else if (request.method === "UPDATE") void this.#onUpdate(request, core);
    else core.receiveIncomingRequestFromTransport(request);
  }

  /** The library knows no UPDATE (RFC 3311). Repeated ones are answered again, with the same answer. */
  async #onUpdate(request: IncomingRequestMessage, core: UserAgentCore): Promise<void> {
    const { statusCode, extraHeaders, content } = (await this.#known.get(request.callId)?.update(request)) ?? {
      statusCode: 481,
      extraHeaders: [],
      content: null,
    };
    core.replyStateless(request, {
      statusCode,
      extraHeaders,
      ...(content === null ? {} : { body: { contentDisposition: "session", contentType: SDP_TYPE, content } }),
    });
  }

  #forgetLater(callId: string, release: () => void = () => undefined): void {
    const timer = setTimeout(() => {
      release();
      this.#known.delete(callId);
      this.#afterlives.delete(timer);
    }, AFTERLIFE_MS);
    this.#afterlives.add(timer);
  }
}

/** The library wants it parsed as its own parser leaves it: one address, not a list. */
function addContact(response: IncomingResponseMessage, contact: string): void {
  response.headers.Contact = [{ raw: contact, parsed: Grammar.nameAddrHeaderParse(contact) }];
}

function checkRequest(request: DialRequest): void {
  if (!E164.test(request.to)) throw new RangeError("The number to dial must be E.164 with a plus.");
  if (request.from !== "anonymous" && !E164.test(request.from))
    throw new RangeError("The caller number must be E.164 with a plus, or anonymous.");
  if (!HEADER_VALUE.test(request.displayName ?? "") || /["\\]/.test(request.displayName ?? ""))
    throw new RangeError("The display name must be plain text.");
  for (const [name, value] of Object.entries(request.headers ?? {})) {
    if (!HEADER_NAME.test(name) || !HEADER_VALUE.test(value))
      throw new RangeError(`The header ${JSON.stringify(name.slice(0, 64))} cannot be sent.`);
  }
}
