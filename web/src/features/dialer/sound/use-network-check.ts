import type { ConfigResponse } from "@farline/contract/accounts.ts";
import { useEffect, useState } from "react";
import { request } from "../../../service/http.ts";
import { phone } from "../phone-session.ts";

/** Above this delay, speakers start to talk over each other (ITU-T G.114: 150 ms one way). */
const SLOW_MS = 300;
const TRIES = 3;

export type NetworkCheck =
  | { readonly state: "checking" }
  /** Milliseconds for a request to the service and its answer, best of three. */
  | { readonly state: "good" | "slow"; readonly answerMs: number }
  /** The service answers, the voice provider does not. */
  | { readonly state: "noLine" }
  | { readonly state: "none" };

/** Sends requests to the service and opens the phone line, once. The free test call tests the sound. */
export function useNetworkCheck(): NetworkCheck {
  const [check, setCheck] = useState<NetworkCheck>({ state: "checking" });
  useEffect(() => {
    let gone = false;
    const run = async (): Promise<void> => {
      const result = await checkNetwork();
      if (!gone) setCheck(result);
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
    const { line, rejoinable, elsewhere } = phone.state;
    // While a call runs elsewhere, the line stays closed.
    const closedOnPurpose = rejoinable !== null || elsewhere !== null;
    if (line !== "ready" && !closedOnPurpose) return { state: "noLine" };
    return { state: answerMs > SLOW_MS ? "slow" : "good", answerMs };
  } catch {
    return { state: "none" };
  }
}

async function bestAnswerMs(): Promise<number> {
  let best = Number.POSITIVE_INFINITY;
  for (let tries = 0; tries < TRIES; tries += 1) {
    const askedAtMs = performance.now();
    await request<ConfigResponse>("GET", "/config");
    best = Math.min(best, performance.now() - askedAtMs);
  }
  return Math.round(best);
}
