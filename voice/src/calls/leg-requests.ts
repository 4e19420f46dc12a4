import type { CallPrices } from "../call-route.ts";
import type { CustomHeader } from "./call-leg.ts";
import type { CallerLine } from "./caller-line.ts";

/** A browser's request to call; the service decides whom it may reach. */
export interface ParkRequest {
  readonly accountId: string;
  readonly username: string;
  readonly connectionId: string;
  readonly from: string;
  readonly to: string;
  readonly callerName: string | null;
  readonly clientState: string | null;
  readonly customHeaders: readonly CustomHeader[];
  /** The browser's SDP offer; trickled candidates are not needed. */
  readonly offerSdp: string;
  readonly line: CallerLine;
}

/** Where a parked call goes. */
export interface TransferRequest {
  /** The number that the parked leg dialled, in E.164; any other is refused. */
  readonly to: string;
  /** The exchange's own caller id, or a customer's with its proof, any other is refused; absent: what the browser's leg says. */
  readonly from?: string;
  /** Proof that `from` is a customer's number, as the exchange itself issued it. */
  readonly fromProof?: string;
  readonly displayName?: string;
  /** Longest duration in seconds, counted from the far end's answer. */
  readonly timeLimitSecs: number;
  readonly ringTimeoutSecs: number;
  readonly earlyMedia: boolean;
  readonly targetClientState?: string;
  readonly prices?: CallPrices;
  readonly headers: Readonly<Record<string, string>>;
}
