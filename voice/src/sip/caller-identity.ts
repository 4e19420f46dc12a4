import { URI } from "sip.js/lib/core/index.js";
import { phoneParameters } from "./dialled-user.ts";
import type { TrunkConfig } from "./trunk.ts";

/** The caller's identity in the headers of an INVITE. */
export interface CallerIdentity {
  readonly from: URI;
  /** Null: use the call's display name. */
  readonly displayName: string | null;
  readonly headers: readonly string[];
  readonly shown: string;
}

/**
 * Builds the identity headers by the trunk's `customerNumbers` rule. A carrier that accepts no customers' numbers gets the exchange's
 * number. With an account name in From (`from_user`), a carrier that trusts P-Asserted-Identity finds the exchange's number there.
 */
export function callerIdentity(trunk: TrunkConfig, from: string, exchangeNumber: string): CallerIdentity {
  if (from === "anonymous") return anonymous(trunk, exchangeNumber);
  const asserted = `P-Asserted-Identity: <sip:${from}@${domainOf(trunk)};user=phone>`;
  const own = { from: ownAddress(trunk, exchangeNumber), displayName: null };
  if (from === exchangeNumber) {
    const inFrom = trunk.fromUser === undefined || !trustsAsserted(trunk);
    return { ...own, headers: inFrom ? [] : [asserted], shown: from };
  }
  switch (trunk.customerNumbers) {
    case "from_and_asserted":
      return { from: numberAddress(trunk, from), displayName: null, headers: [asserted], shown: from };
    case "asserted":
      return { ...own, headers: [asserted], shown: from };
    case "remote_party": {
      const party = `Remote-Party-ID: <sip:${from}@${domainOf(trunk)};user=phone>;party=calling;screen=yes;privacy=off`;
      return { ...own, headers: [party], shown: from };
    }
    default:
      return { ...own, headers: [], shown: exchangeNumber };
  }
}

/** RFC 3323 §4.1.1.3 and RFC 3325 §9.3: a trusted carrier learns the caller's number, the callee does not. */
function anonymous(trunk: TrunkConfig, exchangeNumber: string): CallerIdentity {
  const hidden = { displayName: "Anonymous", shown: "anonymous" };
  if (trunk.privacy !== "id") return { ...hidden, from: new URI("sip", "anonymous", domainOf(trunk), undefined), headers: [] };
  const asserted = `P-Asserted-Identity: <sip:${exchangeNumber}@${domainOf(trunk)};user=phone>`;
  const headers = ["Privacy: id", ...(trustsAsserted(trunk) ? [asserted] : [])];
  return { ...hidden, from: new URI("sip", "anonymous", "anonymous.invalid", undefined), headers };
}

function ownAddress(trunk: TrunkConfig, exchangeNumber: string): URI {
  return trunk.fromUser === undefined
    ? numberAddress(trunk, exchangeNumber)
    : new URI("sip", trunk.fromUser, domainOf(trunk), undefined);
}

function numberAddress(trunk: TrunkConfig, number: string): URI {
  return new URI("sip", number, domainOf(trunk), undefined, phoneParameters(trunk));
}

function domainOf({ fromDomain, host }: TrunkConfig): string {
  return fromDomain ?? host;
}

function trustsAsserted({ customerNumbers }: TrunkConfig): boolean {
  return customerNumbers === "from_and_asserted" || customerNumbers === "asserted";
}
