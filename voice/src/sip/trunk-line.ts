import { randomUUID } from "node:crypto";
import { type IncomingResponseMessage, type OutgoingRequestMessage, URI, type UserAgentCore } from "sip.js/lib/core/index.js";
import type { Logger } from "pino";
import type { Address } from "../address.ts";
import type { CallRegistry } from "./call-registry.ts";
import { contactOf, createCore, isFromWire } from "./sip-core.ts";
import type { SipSocket } from "./transport/sip-socket.ts";
import type { SipTransport } from "./transport/sip-transport.ts";
import { TrunkConnection } from "./transport/trunk-connection.ts";
import type { TrunkConfig } from "./trunk.ts";
import { Registration, type RegistrationState } from "./upkeep/registration.ts";
import { RegisterRequests, registrarAnswer } from "./upkeep/register-requests.ts";

const PING_DEADLINE_MS = 4_000;
const REGISTER_DEADLINE_MS = 16_000;
const DEREGISTER_DEADLINE_MS = 2_000;

export interface TrunkLineOptions {
  readonly trunk: TrunkConfig;
  readonly contactUser: string;
  readonly address: Address;
  readonly socket: SipSocket;
  readonly registry: CallRegistry;
  /** Called for each message on the trunk's own connection. */
  readonly receive: (text: string, line: TrunkLine) => void;
  readonly log: Logger;
}

/** A configured trunk at work: its SIP core, connection and registration. */
export class TrunkLine {
  readonly trunk: TrunkConfig;
  readonly contactUser: string;
  readonly core: UserAgentCore;
  readonly #registry: CallRegistry;
  readonly #transport: SipTransport;
  readonly #connection: TrunkConnection | null;
  readonly #registration: Registration | null;

  constructor({ trunk, contactUser, address, socket, registry, receive, log }: TrunkLineOptions) {
    this.trunk = trunk;
    this.contactUser = contactUser;
    this.#registry = registry;
    const trunkLog = log.child({ trunk: trunk.name });
    this.#connection =
      trunk.transport === "udp"
        ? null
        : new TrunkConnection({
            trunk,
            localAddress: address.bound,
            log: trunkLog,
            receiver: {
              message: (text) => receive(text, this),
              hasCall: (callId) => registry.has(callId, (line) => line === this),
              opened: () => this.#registration?.start(),
              lost: () => {
                for (const attempt of registry.attemptsOn(this)) attempt.connectionLost();
              },
            },
          });
    this.#transport = this.#connection ?? socket;
    this.core = createCore({
      trunk,
      contactUser,
      address: address.announced,
      port: socket.port,
      transport: this.#transport,
      log: trunkLog,
    });
    this.#registration = trunk.registrar === undefined ? null : this.#createRegistration(trunkLog);
    if (this.#connection === null) this.#registration?.start();
  }

  #createRegistration(log: Logger): Registration {
    const requests = new RegisterRequests(this.core, this.trunk);
    return new Registration({
      log,
      send: async (seconds) => {
        const response = await this.request(
          requests.next(seconds),
          seconds === 0 ? DEREGISTER_DEADLINE_MS : REGISTER_DEADLINE_MS,
        );
        return response === null ? null : registrarAnswer(response, this.contactUser, seconds);
      },
    });
  }

  get connected(): boolean | null {
    return this.#connection?.connected ?? null;
  }

  get registration(): RegistrationState | null {
    return this.#registration?.state ?? null;
  }

  /** Sends OPTIONS. Any final response proves that the carrier is up (RFC 3261 §11). */
  async ping(): Promise<boolean> {
    const { core, trunk } = this;
    const target = new URI("sip", "", trunk.host, trunk.port);
    const message = core.makeOutgoingRequestMessage("OPTIONS", target, core.configuration.aor, target, { callId: randomUUID() }, [
      `Contact: ${contactOf(core)}`,
    ]);
    return (await this.request(message, PING_DEADLINE_MS)) !== null;
  }

  /** Sends a request outside a call. Resolves to its final response, or null after `deadlineMs`. */
  request(message: OutgoingRequestMessage, deadlineMs: number): Promise<IncomingResponseMessage | null> {
    const { callId } = message;
    this.#registry.add(callId, this, null);
    return new Promise((resolve) => {
      const done = (response: IncomingResponseMessage | null): void => {
        clearTimeout(timer);
        this.#registry.removeLater(callId);
        resolve(response);
      };
      const timer = setTimeout(() => {
        this.#transport.abandon(message.branch ?? "", message.method);
        done(null);
      }, deadlineMs);
      const answered = ({ message: response }: { message: IncomingResponseMessage }): void =>
        done(isFromWire(response) ? response : null);
      this.core.request(message, { onAccept: answered, onRedirect: answered, onReject: answered });
    });
  }

  /** Ends the registration. Takes 2 s at most. */
  async unregister(): Promise<void> {
    await this.#registration?.stop();
  }

  close(): void {
    this.core.dispose();
    this.#connection?.close();
  }
}
