import type { SipRequest } from "@farline/sip/message/message.ts";
import { phoneParameters } from "./dialled-user.ts";
import { sipUri } from "./trunk-uri.ts";
import type { TrunkConfig } from "./trunk.ts";

/** The caller's identity in the headers of an INVITE. */
export interface CallerIdentity {
  /** A URI. */
  readonly from: string;
  /** Null: use the call's display name. */
  readonly displayName: string | null;
  readonly headers: SipRequest["headers"];
  readonly shown: string;
}

const NONE: SipRequest["headers"] = new Map();

/**
 * Builds the identity headers by the trunk's `customerNumbers` rule. A carrier that accepts no customers' numbers gets the exchange's
 * number. With an account name in From (`from_user`), a carrier that trusts P-Asserted-Identity finds the exchange's number there.
 */
export function callerIdentity(trunk: TrunkConfig, from: string, exchangeNumber: string): CallerIdentity {
  if (from === "anonymous") return anonymous(trunk, exchangeNumber);
  const asserted = assertedIdentity(trunk, from);
  const own = { from: ownAddress(trunk, exchangeNumber), displayName: null };
  if (from === exchangeNumber) {
    const inFrom = trunk.fromUser === undefined || !trustsAsserted(trunk);
    return { ...own, headers: inFrom ? NONE : asserted, shown: from };
  }
  switch (trunk.customerNumbers) {
    case "from_and_asserted":
      return { from: numberAddress(trunk, from), displayName: null, headers: asserted, shown: from };
    case "asserted":
      return { ...own, headers: asserted, shown: from };
    case "remote_party": {
      const party = `<sip:${from}@${domainOf(trunk)};user=phone>;party=calling;screen=yes;privacy=off`;
      return { ...own, headers: new Map([["remote-party-id", [party]]]), shown: from };
    }
    default:
      return { ...own, headers: NONE, shown: exchangeNumber };
  }
}

/** The account's address, for requests outside calls. @param user without an account */
export function accountAddress({ fromUser, username, fromDomain, registrar, host }: TrunkConfig, user: string): string {
  return sipUri(fromUser ?? username ?? user, fromDomain ?? registrar?.host ?? host);
}

/** RFC 3323 §4.1.1.3 and RFC 3325 §9.3: a trusted carrier learns the caller's number, the callee does not. */
function anonymous(trunk: TrunkConfig, exchangeNumber: string): CallerIdentity {
  const hidden = { displayName: "Anonymous", shown: "anonymous" };
  if (trunk.privacy !== "id") return { ...hidden, from: sipUri("anonymous", domainOf(trunk)), headers: NONE };
  const asserted = trustsAsserted(trunk) ? assertedIdentity(trunk, exchangeNumber) : NONE;
  return { ...hidden, from: "sip:anonymous@anonymous.invalid", headers: new Map([["privacy", ["id"]], ...asserted]) };
}

function assertedIdentity(trunk: TrunkConfig, number: string): SipRequest["headers"] {
  return new Map([["p-asserted-identity", [`<sip:${number}@${domainOf(trunk)};user=phone>`]]]);
}

function ownAddress(trunk: TrunkConfig, exchangeNumber: string): string {
  return trunk.fromUser === undefined ? numberAddress(trunk, exchangeNumber) : sipUri(trunk.fromUser, domainOf(trunk));
}

function numberAddress(trunk: TrunkConfig, number: string): string {
  return sipUri(number, domainOf(trunk), null, phoneParameters(trunk));
}

function domainOf({ fromDomain, host }: TrunkConfig): string {
  return fromDomain ?? host;
}

function trustsAsserted({ customerNumbers }: TrunkConfig): boolean {
  return customerNumbers === "from_and_asserted" || customerNumbers === "asserted";
}
