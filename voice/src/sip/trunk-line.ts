import { randomUUID } from "node:crypto";
import { type IncomingResponseMessage, type OutgoingRequestMessage, URI, type UserAgentCore } from "sip.js/lib/core/index.js";
import type { Logger } from "pino";
import type { Address } from "../address.ts";
import type { CallRegistry } from "./call-registry.ts";
import { contactOf, createCore, isReal } from "./sip-core.ts";
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
  readonly known: CallRegistry;
  /** A message came over the trunk's own connection. */
  readonly receive: (text: string, line: TrunkLine) => void;
  readonly log: Logger;
}

/** A trunk in service: its dialogs, and the way to its carrier. */
export class TrunkLine {
  readonly trunk: TrunkConfig;
  readonly contactUser: string;
  readonly core: UserAgentCore;
  readonly #known: CallRegistry;
  readonly #transport: SipTransport;
  readonly #connection: TrunkConnection | null;
  readonly #registration: Registration | null;

  constructor({ trunk, contactUser, address, socket, known, receive, log }: TrunkLineOptions) {
    this.trunk = trunk;
    this.contactUser = contactUser;
    this.#known = known;
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
              knows: (callId) => known.has(callId, (line) => line === this),
              opened: () => this.#registration?.start(),
              lost: () => {
                for (const attempt of known.attemptsOn(this)) attempt.connectionLost();
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
        const response = await this.ask(requests.next(seconds), seconds === 0 ? DEREGISTER_DEADLINE_MS : REGISTER_DEADLINE_MS);
        return response === null ? null : registrarAnswer(response, this.contactUser, seconds);
      },
    });
  }

  /** Whether its connection stands; null over UDP, which has none. */
  get connected(): boolean | null {
    return this.#connection?.connected ?? null;
  }

  /** Null when it does not register. */
  get registration(): RegistrationState | null {
    return this.#registration?.state ?? null;
  }

  /** OPTIONS. Any final response proves that somebody is there (RFC 3261 §11). */
  async ping(): Promise<boolean> {
    const { core, trunk } = this;
    const target = new URI("sip", "", trunk.host, trunk.port);
    const message = core.makeOutgoingRequestMessage("OPTIONS", target, core.configuration.aor, target, { callId: randomUUID() }, [
      `Contact: ${contactOf(core)}`,
    ]);
    return (await this.ask(message, PING_DEADLINE_MS)) !== null;
  }

  /** Sends a request outside of a live call. Resolves to its final response; null when none came in time. */
  ask(message: OutgoingRequestMessage, deadlineMs: number): Promise<IncomingResponseMessage | null> {
    const { callId } = message;
    this.#known.open(callId, this, null);
    return new Promise((resolve) => {
      const done = (response: IncomingResponseMessage | null): void => {
        clearTimeout(timer);
        this.#known.close(callId);
        resolve(response);
      };
      const timer = setTimeout(() => {
        this.#transport.abandon(message.branch ?? "", message.method);
        done(null);
      }, deadlineMs);
      const answered = ({ message: response }: { message: IncomingResponseMessage }): void =>
        done(isReal(response) ? response : null);
      this.core.request(message, { onAccept: answered, onRedirect: answered, onReject: answered });
    });
  }

  /** Nothing of it is needed any more: ends its registration. Takes 2 s at most. */
  async leave(): Promise<void> {
    await this.#registration?.stop();
  }

  close(): void {
    this.core.dispose();
    this.#connection?.close();
  }
}
