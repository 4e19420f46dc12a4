import { randomUUID } from "node:crypto";
import type { SipRequest, SipResponse, Via } from "@farline/sip/message/message.ts";
import { header } from "@farline/sip/message/response.ts";
import { accountAddress } from "../caller-identity.ts";
import { nameAddress, newRequest } from "../trunk-requests.ts";
import { sipUri } from "../trunk-uri.ts";
import type { TrunkConfig } from "../trunk.ts";
import type { RegistrarAnswer } from "./registration.ts";

/** Builds the REGISTER requests of one registration, with one Call-ID and increasing CSeq (RFC 3261 §10.2). */
export class RegisterRequests {
  readonly #trunk: TrunkConfig;
  readonly #contact: string;
  readonly #callId = randomUUID();
  readonly #tag = randomUUID();
  #cseq = 0;

  constructor(trunk: TrunkConfig, contact: string) {
    this.#trunk = trunk;
    this.#contact = contact;
  }

  next(via: Via, seconds: number): SipRequest {
    const { host, port } = this.#trunk.registrar ?? this.#trunk;
    const account = accountAddress(this.#trunk, "");
    this.#cseq += 1;
    return newRequest({
      method: "REGISTER",
      uri: sipUri("", host, port),
      via,
      from: nameAddress(account, this.#tag),
      to: nameAddress(account),
      callId: this.#callId,
      cseq: this.#cseq,
      headers: new Map([
        ["contact", [this.#contact]],
        ["expires", [String(seconds)]],
      ]),
    });
  }
}

/** @param requestedSeconds assumed if the response does not name an expiry */
export function registrarAnswer(response: SipResponse, contactUser: string, requestedSeconds: number): RegistrarAnswer {
  const { status } = response;
  const contacts = response.headers.get("contact") ?? [];
  // Other contacts may be registered for the account.
  const contact = contacts.find((line) => line.includes(`:${contactUser}@`)) ?? contacts[0] ?? "";
  const seconds = (text: string | undefined): number | null => (text === undefined ? null : Number(text));
  const granted =
    seconds(/;\s*expires\s*=\s*"?(\d{1,9})/i.exec(contact)?.[1]) ??
    seconds(/^\s*(\d{1,9})/.exec(header(response, "expires") ?? "")?.[1]) ??
    requestedSeconds;
  return {
    status,
    grantedSeconds: status >= 200 && status < 300 ? granted : null,
    minSeconds: seconds(/^\s*(\d{1,9})/.exec(header(response, "min-expires") ?? "")?.[1]),
  };
}
