import { isDeepStrictEqual } from "node:util";
import { RateLimitedLog } from "../rate-limits/rate-limited-log.ts";
import { IncomingMessages } from "./incoming-messages.ts";
import { CallRegistry } from "./call-registry.ts";
import { CallPlan, TrunkRouter } from "./routing/trunk-router.ts";
import { createLoggerFactory } from "./sip-core.ts";
import { byeOfStored, readStoredDialog } from "./stored-dialog.ts";
import { SipSocket } from "./transport/sip-socket.ts";
import { TrunkAddresses } from "./transport/trunk-addresses.ts";
import { TrunkCall } from "./invite/trunk-call.ts";
import { TrunkHealth } from "./upkeep/trunk-health.ts";
import { TrunkLine } from "./trunk-line.ts";
import type { DialRequest, FarCall, FarEvents, TrunkConfig, Trunks, TrunksOptions, TrunkState } from "./trunk.ts";

const DEFAULT_MAX_CALLS = 500;
const DEFAULT_FIRST_RESPONSE_MS = 4_000;
const BYE_DEADLINE_MS = 4_000;
const CLOSE_DEADLINE_MS = 2_000;
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

/** Opens the SIP socket. @throws the system's error if the port is taken. */
export async function createTrunks(config: readonly TrunkConfig[], options: TrunksOptions): Promise<Trunks> {
  return new TrunkSet(config, await SipSocket.bind(options.address.bound, options.port, options.log), options);
}

class TrunkSet implements Trunks {
  readonly port: number;
  readonly #socket: SipSocket;
  readonly #options: TrunksOptions;
  #lines: readonly TrunkLine[] = [];
  /** Lines out of service, each with the calls that may still use it. */
  readonly #leaving = new Map<TrunkLine, readonly TrunkCall[]>();
  /** Makes the contact of each line unique. */
  #opened = 0;
  readonly #calls = new Set<TrunkCall>();
  readonly #registry = new CallRegistry(() => this.#closeLeaving());
  readonly #addresses: TrunkAddresses;
  readonly #health: TrunkHealth;
  readonly #router: TrunkRouter;
  readonly #incoming: IncomingMessages;
  #closing: Promise<void> | null = null;

  constructor(config: readonly TrunkConfig[], socket: SipSocket, options: TrunksOptions) {
    this.#socket = socket;
    this.#options = options;
    this.port = socket.port;
    this.#incoming = new IncomingMessages({
      limitedLog: new RateLimitedLog(options.log),
      registry: this.#registry,
      lines: () => this.#allLines(),
      loggerFactory: createLoggerFactory(options.log),
    });
    this.#health = new TrunkHealth(options.log, options.optionsPingEveryMs);
    this.#router = new TrunkRouter({ log: options.log, isDown: (trunk) => this.#health.isDown(trunk) });
    this.#addresses = new TrunkAddresses([], options.log);
    this.reload(config);
    socket.listen({
      message: (text) => this.#incoming.receive(text, null),
      hasCall: (callId) => this.#registry.has(callId, ({ trunk }) => isOverUdp(trunk)),
      isTrunk: (address) => this.#addresses.has(address),
    });
  }

  reload(config: readonly TrunkConfig[]): void {
    const before = this.#lines;
    this.#router.use(config);
    this.#lines = config.map((trunk) => before.find((line) => isSameLine(line.trunk, trunk)) ?? this.#open(trunk));
    for (const line of before) if (!this.#lines.includes(line)) this.#retire(line);
    for (const line of this.#lines)
      if (line.trunk.optionsPing === true && !before.includes(line))
        this.#health.watch({ name: line.trunk.name, ping: () => line.ping() });
    this.#useAddresses();
    this.#closeLeaving();
  }

  #open(trunk: TrunkConfig): TrunkLine {
    const contactUser = `trunk${this.#opened}`;
    this.#opened += 1;
    return new TrunkLine({
      trunk,
      contactUser,
      address: this.#options.address,
      socket: this.#socket,
      registry: this.#registry,
      receive: (text, line) => this.#incoming.receive(text, line),
      log: this.#options.log,
    });
  }

  #retire(line: TrunkLine): void {
    this.#health.unwatch(line.trunk.name);
    this.#leaving.set(line, [...this.#calls]);
  }

  /** Closes retired lines once their calls and the linger time are over. */
  #closeLeaving(): void {
    for (const [line, calls] of this.#leaving) {
      if (calls.some((call) => this.#calls.has(call)) || this.#registry.attemptsOn(line).length > 0) continue;
      this.#leaving.delete(line);
      this.#useAddresses();
      void line.unregister().finally(() => line.close());
    }
  }

  #useAddresses(): void {
    this.#addresses.use(this.#allLines().flatMap(({ trunk }) => (isOverUdp(trunk) ? [trunk] : [])));
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
      firstResponseTimeoutMs: this.#options.firstResponseTimeoutMs ?? DEFAULT_FIRST_RESPONSE_MS,
      log: this.#options.log,
      onAttemptStart: (attempt) => {
        const line = this.#allLines().find(({ core }) => core === attempt.core);
        if (line !== undefined) this.#registry.add(attempt.callId, line, attempt);
      },
      onAttemptEnd: (attempt) => this.#registry.removeLater(attempt.callId, () => attempt.release()),
      onEnded: () => {
        this.#calls.delete(call);
        this.#closeLeaving();
      },
    });
    this.#calls.add(call);
    call.start();
    return call;
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
      return { name: trunk.name, connected, registration, down: !leaving && this.#health.isDown(trunk.name), leaving };
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
    const deadline = Promise.withResolvers<void>();
    const timer = setTimeout(deadline.resolve, CLOSE_DEADLINE_MS);
    await Promise.race([Promise.all([...this.#calls].map((call) => call.hangUp("shutting down"))), deadline.promise]);
    clearTimeout(timer);
    this.#health.close();
    // A call that could not be hung up may still need the registration.
    if (this.#calls.size === 0) await Promise.all(this.#allLines().map((line) => line.unregister()));
    this.#registry.clear();
    this.#addresses.close();
    for (const line of this.#allLines()) line.close();
    await this.#socket.close();
  }

  async endDialog(dialog: string): Promise<void> {
    const stored = readStoredDialog(dialog);
    const line = this.#allLines().find(({ trunk }) => trunk.name === stored?.trunk);
    if (stored === null || line === undefined) throw new Error("The trunk of the stored dialog no longer exists.");
    const confirmed = await line.request(byeOfStored(line.core, stored), BYE_DEADLINE_MS);
    if (confirmed === null) throw new Error("The far end did not confirm the BYE.");
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

function isOverUdp({ transport }: TrunkConfig): boolean {
  return transport === "udp";
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
