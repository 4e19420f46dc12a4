import { URI } from "sip.js/lib/core/index.js";
import { phoneParameters } from "./dialled-user.ts";
import type { TrunkConfig } from "./trunk.ts";

/** Who calls, as one trunk is told. */
export interface CallerIdentity {
  readonly from: URI;
  /** Null: the display name of the call. */
  readonly displayName: string | null;
  readonly headers: readonly string[];
  /** The number that the called person sees. */
  readonly shown: string;
}

/**
 * Writes the caller into an INVITE by the trunk's rule for numbers of customers. A carrier that has not agreed to them gets the
 * exchange's own number, and under an account name (`from_user`) that too in the header for numbers that it trusts.
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

/** RFC 3323 §4.1.1.3 and RFC 3325 §9.3: a carrier that is trusted learns who calls, the called person does not. */
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
