import type { SipMessage, SipRequest, SipResponse } from "../message/message.ts";
import { type ClientUser, type Hop, type ServerUser, TransactionLayer } from "../transaction/transaction-layer.ts";
import { SipTransports, type SipTransportEvents, type SipTransportsOptions } from "./sip-transports.ts";
import { isStream, type Target, targetKey, type TransportName } from "./target.ts";

/** Where the messages of a transaction go. */
export interface SipHop extends Hop {
  readonly target: Target;
}

interface SipEndpointOptions extends Omit<SipTransportsOptions, "events"> {
  readonly user: ServerUser<SipHop>;
  readonly events: Pick<SipTransportEvents, "admits" | "connects" | "accepts" | "malformed" | "connectionLost" | "problem">;
  /** Client and server transactions each. */
  readonly maxTransactions: number;
  /** Runs the timers of transactions this many times faster, for tests. */
  readonly speed?: number;
}

/** The transports and transactions of one SIP element, driven by the clock. */
export class SipEndpoint {
  readonly #options: SipEndpointOptions;
  readonly #layer: TransactionLayer<SipHop>;
  #transports: SipTransports | null = null;
  #timer: NodeJS.Timeout | null = null;
  #timerAt = Infinity;
  #closed = false;

  private constructor(options: SipEndpointOptions) {
    this.#options = options;
    this.#layer = new TransactionLayer<SipHop>({
      user: options.user,
      maxTransactions: options.maxTransactions,
      send: (message, { target }) => void this.send(message, target),
    });
  }

  /** @throws the system's error if a port is taken */
  static async open(options: SipEndpointOptions): Promise<SipEndpoint> {
    const endpoint = new SipEndpoint(options);
    const { events, ...rest } = options;
    endpoint.#transports = await SipTransports.open({
      ...rest,
      events: {
        ...events,
        message: (message, source) => endpoint.#run((now) => endpoint.#layer.receive(message, hopTo(source), now)),
        connectionLost: (peer, problem) => {
          endpoint.#connectionLost(peer);
          events.connectionLost(peer, problem);
        },
      },
    });
    return endpoint;
  }

  /** For connections that are kept open. */
  get transports(): SipTransports {
    if (this.#transports === null) throw new Error("The SIP endpoint is not open.");
    return this.#transports;
  }

  port(transport: TransportName): number | undefined {
    return this.transports.port(transport);
  }

  /** Sends a request in a new transaction, except an ACK. Its topmost Via must have a new branch. */
  request(request: SipRequest, target: Target, user: ClientUser): void {
    this.#run((now) => this.#layer.request(request, hopTo(target), user, now));
  }

  /** Takes over an unanswered INVITE of an earlier process, to cancel it. */
  resume(invite: SipRequest, target: Target, user: ClientUser): void {
    this.#run(() => this.#layer.resume(invite, hopTo(target), user));
  }

  /** Forgets a request whose response no longer matters. */
  abandon(request: SipRequest): void {
    this.#layer.abandon(request);
  }

  respond(request: SipRequest, response: SipResponse): void {
    this.#run((now) => this.#layer.respond(request, response, now));
  }

  cancel(invite: SipRequest, headers?: SipRequest["headers"]): void {
    this.#run((now) => this.#layer.cancel(invite, now, headers));
  }

  /** Sends a message outside transactions: the ACK of a 2xx, or a stateless response. */
  async send(message: SipMessage, target: Target): Promise<void> {
    try {
      if (message.kind === "response") await this.transports.respond(message, target);
      else await this.transports.send(message, target);
    } catch (error) {
      if (this.#closed) return;
      this.#options.events.problem(error as Error);
      this.#run((now) => this.#layer.transportFailed(message, now));
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    await this.transports.close();
  }

  #connectionLost(peer: Target): void {
    const key = targetKey(peer);
    this.#run((now) => this.#layer.connectionLost(({ target }) => targetKey(target) === key, now));
  }

  /** Acts at the current time of the transactions' clock, then waits for their next timer. */
  #run(act: (now: number) => void): void {
    if (this.#closed) return;
    try {
      act(this.#now());
    } catch (error) {
      // A fault in one transaction's user must not stop the timers of the others.
      this.#options.events.problem(error as Error);
    }
    const { nextTimer } = this.#layer;
    if (nextTimer >= this.#timerAt) return;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timerAt = nextTimer;
    this.#timer = setTimeout(() => this.#tick(), Math.max(0, nextTimer - this.#now()) / this.#speed);
  }

  #tick(): void {
    this.#timerAt = Infinity;
    this.#run((now) => this.#layer.tick(now));
  }

  #now(): number {
    return performance.now() * this.#speed;
  }

  get #speed(): number {
    return this.#options.speed ?? 1;
  }
}

function hopTo(target: Target): SipHop {
  return { reliable: isStream(target.transport), target };
}
