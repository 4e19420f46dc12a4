import type { TrunkConfig } from "./trunk.ts";

/** Who calls, as one trunk is told. */
export interface CallerIdentity {
  /** User of the From header. */
  readonly from: string;
  readonly headers: readonly string[];
  /** The number that the called person sees. */
  readonly shown: string;
}

/**
 * Writes the caller into an INVITE by the trunk's rule for numbers of customers. A carrier that has not agreed to them gets the
 * exchange's own number.
 */
export function callerIdentity(trunk: TrunkConfig, from: string, ownNumber: string): CallerIdentity {
  const asserted = `P-Asserted-Identity: <sip:${from}@${trunk.host};user=phone>`;
  if (from === ownNumber || from === "anonymous") return { from, headers: [], shown: from };
  switch (trunk.customerNumbers) {
    case "from_and_asserted":
      return { from, headers: [asserted], shown: from };
    case "asserted":
      return { from: ownNumber, headers: [asserted], shown: from };
    case "remote_party": {
      const party = `Remote-Party-ID: <sip:${from}@${trunk.host};user=phone>;party=calling;screen=yes;privacy=off`;
      return { from: ownNumber, headers: [party], shown: from };
    }
    default:
      return { from: ownNumber, headers: [], shown: ownNumber };
  }
}
