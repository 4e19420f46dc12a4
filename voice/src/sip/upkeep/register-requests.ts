import { randomUUID } from "node:crypto";
import { type IncomingResponseMessage, type OutgoingRequestMessage, URI, type UserAgentCore } from "sip.js/lib/core/index.js";
import { contactOf } from "../sip-core.ts";
import type { TrunkConfig } from "../trunk.ts";
import type { RegistrarAnswer } from "./registration.ts";

/** Builds the REGISTER requests of one registration, with one Call-ID and increasing CSeq (RFC 3261 §10.2). */
export class RegisterRequests {
  readonly #core: UserAgentCore;
  readonly #trunk: TrunkConfig;
  readonly #callId = randomUUID();
  #last: OutgoingRequestMessage | null = null;

  constructor(core: UserAgentCore, trunk: TrunkConfig) {
    this.#core = core;
    this.#trunk = trunk;
  }

  next(seconds: number): OutgoingRequestMessage {
    const { fromUser, fromDomain, username } = this.#trunk;
    const { host, port } = this.#trunk.registrar ?? this.#trunk;
    const account = new URI("sip", fromUser ?? username ?? "", fromDomain ?? host, undefined);
    const before = this.#last;
    this.#last = this.#core.makeOutgoingRequestMessage(
      "REGISTER",
      new URI("sip", "", host, port),
      account,
      account,
      {
        callId: this.#callId,
        optionTags: [],
        // sip.js increments the CSeq when it repeats a request with credentials.
        ...(before === null ? {} : { fromTag: before.fromTag, cseq: before.cseq + 1 }),
      },
      [`Contact: ${contactOf(this.#core)}`, `Expires: ${seconds}`],
    );
    return this.#last;
  }
}

/** @param requestedSeconds assumed if the response does not name an expiry */
export function registrarAnswer(
  response: IncomingResponseMessage,
  contactUser: string,
  requestedSeconds: number,
): RegistrarAnswer {
  const status = response.statusCode ?? 0;
  const contacts = response.getHeaders("contact");
  // Other contacts may be registered for the account.
  const contact = contacts.find((line) => line.includes(`:${contactUser}@`)) ?? contacts[0] ?? "";
  const seconds = (text: string | undefined): number | null => (text === undefined ? null : Number(text));
  const granted =
    seconds(/;\s*expires\s*=\s*"?(\d{1,9})/i.exec(contact)?.[1]) ??
    seconds(/^\s*(\d{1,9})/.exec(response.getHeader("expires") ?? "")?.[1]) ??
    requestedSeconds;
  return {
    status,
    grantedSeconds: status >= 200 && status < 300 ? granted : null,
    minSeconds: seconds(/^\s*(\d{1,9})/.exec(response.getHeader("min-expires") ?? "")?.[1]),
  };
}
