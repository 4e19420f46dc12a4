import type { CallPrices } from "@farline/domain/rates/find-offers.ts";
import type { CustomHeader } from "./call-leg.ts";
import type { CallerLine } from "./caller-line.ts";

/** A browser's request to call. The leg is parked until the service commands what to do. */
export interface ParkRequest {
  readonly accountId: string;
  readonly username: string;
  readonly connectionId: string;
  readonly from: string;
  readonly to: string;
  readonly callerName: string | null;
  readonly clientState: string | null;
  readonly customHeaders: readonly CustomHeader[];
  /** The browser's SDP offer, without candidates. */
  readonly offerSdp: string;
  readonly line: CallerLine;
}

/** The service's command to dial the far end of a parked call. */
export interface TransferRequest {
  /** E.164. Must be the number that the parked leg dialled. */
  readonly to: string;
  /** The exchange's caller id, or a customer's number with `fromProof`; absent: the browser leg's. */
  readonly from?: string | undefined;
  readonly fromProof?: string | undefined;
  readonly displayName?: string | undefined;
  /** Maximum duration, counted from the far end's answer. */
  readonly timeLimitSecs: number;
  readonly ringTimeoutSecs: number;
  readonly earlyMedia: boolean;
  readonly targetClientState?: string | undefined;
  readonly prices?: CallPrices | undefined;
  readonly headers: Readonly<Record<string, string>>;
  /** The service's id of the call, for the log. */
  readonly callId?: string | undefined;
}
