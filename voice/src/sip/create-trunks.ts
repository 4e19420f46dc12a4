import { randomUUID } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { isIPv6 } from "node:net";
import { ClientCounts } from "@farline/domain/client-network.ts";
import { settleWithin } from "@farline/domain/durations.ts";
import type { SipMessage, SipResponse } from "@farline/sip/message/message.ts";
import { isStream, type Target } from "@farline/sip/transport/target.ts";
import type { CertificateAndKey } from "@farline/sip/transport/tls-identity.ts";
import type { Service } from "@farline/sip/transport/order-targets.ts";
import { Resolver } from "@farline/sip/transport/resolver.ts";
import { SipEndpoint } from "@farline/sip/transport/sip-endpoint.ts";
import { peekCallId } from "@farline/sip/message/split-message.ts";
import { withToTag } from "@farline/sip/message/response.ts";
import { LISTENERS } from "../listener-bounds.ts";
import { RateLimitedLog } from "../rate-limits/rate-limited-log.ts";
import { CallRegistry } from "./call-registry.ts";
import { IncomingMessages } from "./incoming-messages.ts";
import { CallPlan, TrunkRouter } from "./routing/trunk-router.ts";
import { endStoredCall, readStoredCall } from "./stored-call.ts";
import { SipBudgets } from "./transport/sip-budgets.ts";
import { TrunkAddresses, withService } from "./transport/trunk-addresses.ts";
import { TrunkCall } from "./invite/trunk-call.ts";
import { TrunkHealth } from "./upkeep/trunk-health.ts";
import { TrunkLine } from "./trunk-line.ts";
import {
  certificateEnd,
  type CertificateEnd,
  type DialRequest,
  type FarCall,
  type FarEvents,
  type TrunkConfig,
  type Trunks,
  type TrunksOptions,
  type TrunkState,
} from "./trunk.ts";

const DEFAULT_MAX_CALLS = 500;

const DEFAULT_FIRST_RESPONSE_MS = 4_000;

/** Client and server transactions each: five for each of the calls in the last half minute at ten calls a second. */
const MAX_TRANSACTIONS = 10_000;

const CLOSE_DEADLINE_MS = 2_000;

/** How long the start waits for the transports that DNS chooses, and how often it is asked again. */
const CHOOSE_WITHIN_MS = 5_000;
const CHOOSE_EVERY_MS = 60_000;

const ROUTING_FIELDS: ReadonlySet<string> = new Set<keyof TrunkConfig>([
  "prefixes",
  "cost",
  "priority",
  "weight",
  "maxCalls",
  "callsPerSecond",
  "opus",
]);

const E164 = /^\+[1-9]\d{4,14}$/;

const HEADER_NAME = /^[A-Za-z][A-Za-z0-9-]{0,63}$/;

const HEADER_VALUE = /^[\x20-\x7e]{0,256}$/;

/** Opens the SIP port, over UDP and TCP. @throws the system's error if the port is taken. */
export async function createTrunks(config: readonly TrunkConfig[], options: TrunksOptions): Promise<Trunks> {
  const set = new TrunkSet(options);
  await set.open(config);
  return set;
}

class TrunkSet implements Trunks {
  readonly #options: TrunksOptions;
  readonly #resolver: Resolver;
  readonly #limitedLog: RateLimitedLog;
  readonly #budgets = new SipBudgets();
  readonly #connections = new ClientCounts(LISTENERS.sip);
  #endpoint: SipEndpoint | null = null;
  /** That we show, in PEM. */
  #certificate: string | null;
  #config: readonly TrunkConfig[] = [];
  /** What DNS chose last, by the hosts of trunks that leave their transport to it. */
  readonly #chosen = new Map<string, Service | null>();
  readonly #chooser: NodeJS.Timeout;
  #lines: readonly TrunkLine[] = [];
  /** Lines out of service, each with the calls that may still use it. */
  readonly #leaving = new Map<TrunkLine, readonly TrunkCall[]>();
  /** The statuses by which trunks refuse our account, by trunk. */
  readonly #refusals = new Map<string, number>();
  /** Makes the contact of each line unique. */
  #opened = 0;
  readonly #calls = new Set<TrunkCall>();
  readonly #registry = new CallRegistry(() => this.#closeLeaving());
  readonly #addresses: TrunkAddresses;
  readonly #health: TrunkHealth;
  readonly #router: TrunkRouter;
  #choosing: Promise<void> = Promise.resolve();
  #closing: Promise<void> | null = null;

  constructor(options: TrunksOptions) {
    this.#options = options;
    this.#limitedLog = new RateLimitedLog(options.log);
    const { address, dns, tls } = options;
    this.#certificate = tls?.cert ?? null;
    this.#resolver = new Resolver({ family: isIPv6(address.bound) ? 6 : 4, ...(dns === undefined ? {} : { dns }) });
    this.#health = new TrunkHealth(options.log, options.optionsPingEveryMs);
    this.#router = new TrunkRouter({ log: options.log, isDown: (trunk) => this.#health.isDown(trunk) });
    this.#addresses = new TrunkAddresses({
      resolve: (destination) => this.#resolver.resolve(destination),
      log: options.log,
    });
    // oxlint-disable-next-line farline/bounded-timers -- ends with `close`
    this.#chooser = setInterval(() => void this.#chooseTransports(), CHOOSE_EVERY_MS).unref();
  }

  async open(config: readonly TrunkConfig[]): Promise<void> {
    const { address, port, tls } = this.#options;
    this.#endpoint = await SipEndpoint.open({
      address: address.bound,
      port,
      ...(tls ? { tls } : {}),
      maxTransactions: MAX_TRANSACTIONS,
      times: { speaksWithinMs: LISTENERS.sip.silentMs },
      user: new IncomingMessages(this.#registry, (request, response) => this.#endpoint?.respond(request, response)),
      events: {
        admits: (source, bytes) => this.#admits(source, bytes),
        connects: ({ address }) => this.#connections.take(address),
        accepts: (message, source) => this.#accepts(message, source),
        malformed: (problem, refusal, source) => this.#onMalformed(problem, refusal, source),
        connectionLost: (peer) => {
          for (const line of this.#allLines()) line.connectionLost(peer);
        },
        problem: (error) => this.#limitedLog.warn({ err: error }, "SIP message not handled"),
      },
    });
    this.reload(config);
    await settleWithin(this.#choosing, CHOOSE_WITHIN_MS, () => undefined);
  }

  certificates(): CertificateEnd[] {
    const own = this.#certificate === null ? [] : [certificateEnd("SIP_TLS_CERT", this.#certificate)];
    return [...own, ...this.#lines.flatMap((line) => line.certificates)];
  }

  useCertificate(certificate: CertificateAndKey): void {
    this.#certificate = certificate.cert;
    this.#endpoint?.transports.useCertificate(certificate);
  }

  get port(): number {
    return this.#endpoint?.port("UDP") ?? 0;
  }

  /**
   * Checked before a message is parsed. Only trunks may connect, and far sides that a call of ours sends to directly. A flood that uses up
   * a source's budget, be it in a trunk's name, does not cost messages of calls that we know: each has a budget of its own.
   */
  #admits({ address, transport }: Target, bytes?: Uint8Array): boolean {
    const isTrunk = this.#isTrunk(address);
    if (isStream(transport) && !this.#mayConnect(address)) return false;
    const nowMs = performance.now();
    if (this.#budgets.mayRead(address, isTrunk, nowMs)) return true;
    const callId = bytes === undefined ? "" : peekCallId(bytes);
    return this.#registry.has(callId) && this.#budgets.mayReadCall(callId, nowMs);
  }

  /** Only trunks may send requests outside our calls: scanners find every SIP port. */
  #accepts({ kind, callId }: SipMessage, source: Target): boolean {
    return (kind === "request" || this.#registry.has(callId)) && this.#mayRequest(callId, source);
  }

  #mayRequest(callId: string, { address }: Target): boolean {
    const nowMs = performance.now();
    if (this.#registry.has(callId)) return this.#budgets.mayReachCall(callId, nowMs);
    return this.#isTrunk(address) && this.#budgets.mayRequest(address, nowMs);
  }

  /** Only who may send us the request is told why it was refused (RFC 3261 §18.3). */
  #onMalformed(problem: string, refusal: SipResponse | null, source: Target): void {
    this.#options.log.debug({ problem }, "message not understood");
    if (refusal === null || !this.#mayRequest(refusal.callId, source)) return;
    void this.#endpoint?.send(withToTag(refusal, randomUUID()), source);
  }

  #mayConnect(address: string): boolean {
    return this.#isTrunk(address) || this.#registry.admits(address);
  }

  #isTrunk(address: string): boolean {
    return this.#addresses.has(address) || this.#allLines().some((line) => line.isConnectedTo(address));
  }

  reload(config: readonly TrunkConfig[]): void {
    this.#config = config;
    for (const host of this.#chosen.keys()) if (!this.#choosers.some((trunk) => trunk.host === host)) this.#chosen.delete(host);
    this.#useLines();
    this.#choosing = this.#chooseTransports();
  }

  get #choosers(): TrunkConfig[] {
    return this.#config.filter(({ choosesTransport }) => choosesTransport === true);
  }

  async #chooseTransports(): Promise<void> {
    const hosts = new Set(this.#choosers.map(({ host }) => host));
    if (hosts.size === 0) return;
    const chosen = await Promise.all([...hosts].map(async (host) => [host, await this.#resolver.chooseService(host)] as const));
    if (this.#closing !== null) return;
    for (const [host, service] of chosen)
      if (this.#choosers.some((trunk) => trunk.host === host)) this.#chosen.set(host, service);
    this.#useLines();
  }

  /** A trunk that leaves its transport to DNS is out of service until that has answered. */
  #useLines(): void {
    const before = this.#lines;
    const config = this.#config.flatMap((trunk) => {
      const chosen = trunk.choosesTransport === true ? this.#chosen.get(trunk.host) : null;
      return chosen === undefined ? [] : withService(trunk, chosen);
    });
    this.#router.use(config);
    for (const name of this.#refusals.keys()) if (!config.some((trunk) => trunk.name === name)) this.#refusals.delete(name);
    this.#lines = config.map((trunk) => before.find((line) => isSameLine(line.trunk, trunk)) ?? this.#open(trunk));
    for (const line of before) if (!this.#lines.includes(line)) this.#retire(line);
    for (const line of this.#lines)
      if (line.trunk.optionsPing === true && !before.includes(line))
        this.#health.watch({ name: line.trunk.name, ping: () => line.ping() });
    this.#useAddresses();
    this.#closeLeaving();
  }

  #open(trunk: TrunkConfig): TrunkLine {
    if (this.#endpoint === null) throw new Error("The SIP port is not open.");
    const contactUser = `trunk${this.#opened}`;
    this.#opened += 1;
    return new TrunkLine({
      trunk,
      contactUser,
      address: this.#options.address,
      endpoint: this.#endpoint,
      resolver: this.#resolver,
      registry: this.#registry,
      log: this.#options.log,
    });
  }

  #retire(line: TrunkLine): void {
    this.#health.unwatch(line.trunk.name);
    this.#leaving.set(line, [...this.#calls]);
  }

  /** Closes retired lines once their calls and the linger time are over, and connections from peers that no trunk or call uses. */
  #closeLeaving(): void {
    for (const [line, calls] of this.#leaving) {
      if (calls.some((call) => this.#calls.has(call)) || this.#registry.attemptsOn(line).length > 0) continue;
      this.#leaving.delete(line);
      this.#useAddresses();
      void line.unregister().finally(() => line.close());
    }
    this.#endpoint?.transports.closeFromPeers(({ address }) => this.#mayConnect(address));
  }

  #useAddresses(): void {
    this.#addresses.use(this.#allLines().map(({ trunk }) => trunk));
  }

  #allLines(): TrunkLine[] {
    return [...this.#lines, ...this.#leaving.keys()];
  }

  get activeCalls(): number {
    return this.#calls.size;
  }

  supportsOpus(to: string): boolean {
    return this.#router.supportsOpus(to);
  }

  dial(request: DialRequest, events: FarEvents): FarCall {
    checkRequest(request);
    const full = this.#closing !== null || this.#calls.size >= (this.#options.maxCalls ?? DEFAULT_MAX_CALLS);
    const call: TrunkCall = new TrunkCall({
      request,
      exchangeNumber: this.#options.exchangeNumber,
      events,
      plan: full ? CallPlan.none("The exchange has too many calls") : this.#router.plan(request),
      lineOf: (trunk) => this.#lineOf(trunk),
      addressesOf: (trunk) => this.#addresses.of(trunk),
      firstResponseTimeoutMs: this.#options.firstResponseTimeoutMs ?? DEFAULT_FIRST_RESPONSE_MS,
      onAttemptStart: (attempt) => this.#registry.add(attempt.callId, attempt.line, attempt),
      onAttemptEnd: (attempt) => this.#registry.removeLater(attempt.callId),
      onAccount: (trunk, refusedWith) => this.#noteAccount(trunk, refusedWith),
      onEnded: () => {
        this.#calls.delete(call);
        this.#closeLeaving();
      },
    });
    this.#calls.add(call);
    call.start();
    return call;
  }

  /** Warns once when a carrier begins to refuse our account: without it, calls go to other trunks unnoticed. */
  #noteAccount(trunk: string, refusedWith: number | null): void {
    const before = this.#refusals.get(trunk) ?? null;
    if (before === refusedWith) return;
    if (refusedWith === null) {
      this.#refusals.delete(trunk);
      this.#options.log.info({ trunk }, "trunk accepts our account again");
    } else {
      this.#refusals.set(trunk, refusedWith);
      this.#options.log.warn({ trunk, sipStatus: refusedWith }, "trunk refuses our account");
    }
  }

  /** Includes retired trunks, for calls that started before. */
  #lineOf({ name }: TrunkConfig): TrunkLine {
    const line = this.#allLines().find(({ trunk }) => trunk.name === name);
    if (line === undefined) throw new Error(`There is no trunk ${name}.`);
    return line;
  }

  states(): TrunkState[] {
    return this.#allLines().map((line) => {
      const { trunk, connected, registration } = line;
      const leaving = this.#leaving.has(line);
      const down = !leaving && this.#health.isDown(trunk.name);
      const refusedWith = this.#refusals.get(trunk.name) ?? null;
      const failing = !leaving && this.#router.isFailing(trunk.name);
      return { name: trunk.name, connected, registration, down, refusedWith, failing, leaving };
    });
  }

  async options(): Promise<boolean> {
    const alive = await Promise.all(this.#lines.map((line) => line.ping()));
    return alive.includes(true);
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    const hungUp = Promise.all([...this.#calls].map((call) => call.hangUp("shutting down")));
    await settleWithin(hungUp, CLOSE_DEADLINE_MS, () => undefined);
    this.#health.close();
    clearInterval(this.#chooser);
    // A call that could not be hung up may still need the registration.
    if (this.#calls.size === 0) await Promise.all(this.#allLines().map((line) => line.unregister()));
    this.#registry.clear();
    this.#addresses.close();
    for (const line of this.#allLines()) line.close();
    await this.#endpoint?.close();
  }

  async endDialog(dialog: string): Promise<void> {
    const stored = readStoredCall(dialog);
    const line = this.#allLines().find(({ trunk }) => trunk.name === stored?.trunk);
    if (stored === null || line === undefined) throw new Error("The trunk of the stored call no longer exists.");
    await endStoredCall(stored, line, this.#registry);
  }
}

/** Whether both can share a connection: only routing fields may differ. */
function isSameLine(one: TrunkConfig, other: TrunkConfig): boolean {
  return isDeepStrictEqual(connectionFields(one), connectionFields(other));
}

function connectionFields(trunk: TrunkConfig): Record<string, unknown> {
  const fields = Object.entries(trunk).filter(([name, value]) => value !== undefined && !ROUTING_FIELDS.has(name));
  return Object.fromEntries(fields);
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
