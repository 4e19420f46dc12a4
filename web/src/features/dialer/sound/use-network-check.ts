import { useEffect, useState } from "react";
import { reachRelays, type RelayTransport } from "../../../phone/line/reach-relays.ts";
import { request } from "../../../service/http.ts";
import { phoneErrorText } from "../phone-error-text.ts";
import { phone } from "../phone-session.ts";

/** Above this delay, speakers start to talk over each other (ITU-T G.114: 150 ms one way). */
const SLOW_MS = 300;
const TRIES = 3;

export type NetworkCheck =
  | { readonly state: "checking" }
  /** Milliseconds for a request to the service and its answer, best of three. */
  | { readonly state: "good" | "slow"; readonly answerMs: number; readonly relays: RelayCheck }
  /** The service responds, the voice provider does not. */
  | { readonly state: "noLine" }
  /** The service does not open the line, for example for a locked account. Nothing is wrong with the network. */
  | { readonly state: "refused"; readonly reason: string }
  | { readonly state: "none" };

/** Transports to a relay, for networks that block direct media; null if the provider has no relays. */
export type RelayCheck = "checking" | readonly RelayTransport[] | null;

/** Sends requests to the service, opens the phone line and tries the relays, once. The free test call tests the sound. */
export function useNetworkCheck(): NetworkCheck {
  const [check, setCheck] = useState<NetworkCheck>({ state: "checking" });
  useEffect(() => {
    let gone = false;
    const run = async (): Promise<void> => {
      const result = await checkNetwork();
      if (!gone) setCheck(result);
      if (gone || (result.state !== "good" && result.state !== "slow")) return;
      const relays = await reachRelays(phone.relays);
      if (!gone) setCheck({ ...result, relays });
    };
    void run();
    return () => {
      gone = true;
    };
  }, []);
  return check;
}

async function checkNetwork(): Promise<NetworkCheck> {
  try {
    const answerMs = await bestAnswerMs();
    await phone.prepare();
    const { line, lineError, rejoinable, elsewhere, obstacle } = phone.state;
    // While a call runs elsewhere, without credit or where calls cannot work, the line stays closed.
    const closedOnPurpose =
      obstacle !== null || rejoinable !== null || elsewhere !== null || lineError?.serviceCode === "no_credit";
    if (line !== "ready" && !closedOnPurpose)
      return lineError?.serviceCode ? { state: "refused", reason: phoneErrorText(lineError) } : { state: "noLine" };
    return { state: answerMs > SLOW_MS ? "slow" : "good", answerMs, relays: phone.relays.length === 0 ? null : "checking" };
  } catch {
    return { state: "none" };
  }
}

async function bestAnswerMs(): Promise<number> {
  let best = Number.POSITIVE_INFINITY;
  for (let tries = 0; tries < TRIES; tries += 1) {
    const askedAtMs = performance.now();
    await request("GET /api/config");
    best = Math.min(best, performance.now() - askedAtMs);
  }
  return Math.round(best);
}
