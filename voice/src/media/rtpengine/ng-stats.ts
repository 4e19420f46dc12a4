import type { LegStats } from "../media-plane.ts";
import type { Endpoint } from "../rtp/source-latch.ts";
import type { BencodedValue } from "./bencode.ts";
import type { NgResponse } from "./ng-client.ts";
import { FAR_TAG } from "./ng-sdp.ts";

const RTP_HEADER_BYTES = 12;

/** One side's counters in rtpengine's `query`. */
interface SideStats {
  /** Accepted RTP packets. */
  readonly packets: number;
  /** Payload bytes. */
  readonly bytes: number;
  /** RTP and RTCP packets: changes as long as the side is alive. */
  readonly activity: number;
  /** RTP packets from a wrong source. */
  readonly dropped: number;
  /** Where RTP comes from and is sent to; null: unknown. */
  readonly endpoint: Endpoint | null;
  readonly sources: readonly string[];
}

export const NOTHING = { packets: 0, activity: 0 };

export interface QueryResult {
  /** Of all the browser's transports. */
  readonly browser: SideStats;
  /** `activity` of one of the browser's transports. */
  readonly activityOf: (tag: string) => number;
  readonly far: SideStats;
  readonly stats: LegStats;
}

/**
 * Reads the response to `query`. Missing values are null, never 0.
 * @param unheard packets of the far side's socket that were accepted, but not passed on
 */
export function readQuery(response: NgResponse, unheard: Pick<SideStats, "packets" | "activity"> = NOTHING): QueryResult {
  const tags = dictionary(response.tags);
  const browserTags = Object.keys(tags).filter((tag) => tag !== FAR_TAG);
  const browser = sum(browserTags.map((tag) => sideOf(tags[tag], receivedOf)));
  const farSocket = sideOf(tags[FAR_TAG], acceptedOf);
  const far = { ...farSocket, packets: farSocket.packets - unheard.packets, activity: farSocket.activity - unheard.activity };
  const received = ({ packets, bytes }: SideStats) => ({ packets, bytes, lost: null, jitterMs: null });
  const sent = { packets: null, bytes: null };
  return {
    browser,
    far,
    activityOf: (tag) => sideOf(tags[tag], receivedOf).activity,
    stats: {
      ...{ fromBrowser: received(browser), toBrowser: sent, fromFar: received(far), toFar: sent },
      browserReport: reportOn(far.sources, response),
      farReport: reportOn(browser.sources, response),
    },
  };
}

type Counters = Record<"packets" | "bytes" | "errors", number>;

/** A browser's packets are counted once they are authenticated. */
function receivedOf({ packets }: Counters): number {
  return packets;
}

/**
 * Without its kernel module, rtpengine counts what it drops for a wrong source under `packets` too, then under `errors`: a stranger would
 * count as the far end. The module counts it under `errors` only.
 */
function acceptedOf({ packets, errors }: Counters, isKernelized: boolean): number {
  return isKernelized ? packets : Math.max(0, packets - errors);
}

function sideOf(value: BencodedValue | undefined, count: (counters: Counters, isKernelized: boolean) => number): SideStats {
  const streams = list(dictionary(value).medias).flatMap((media) => list(dictionary(media).streams));
  const [rtp, ...others] = streams.map((stream) => {
    const { stats, flags, endpoint, SSRC } = dictionary(stream);
    const { packets, bytes, errors } = dictionary(stats);
    const counters = { packets: number(packets), bytes: number(bytes), errors: number(errors) };
    // A stream without the module's support counts as "kernelized" as well.
    const isKernelized = list(flags).includes("kernelized") && !list(flags).includes("no kernel support");
    return { ...counters, accepted: count(counters, isKernelized), endpoint, source: SSRC };
  });
  if (rtp === undefined) return sum([]);
  const payload = Math.max(0, rtp.bytes - RTP_HEADER_BYTES * rtp.packets);
  return {
    packets: rtp.accepted,
    bytes: rtp.packets === 0 ? 0 : Math.round((payload * rtp.accepted) / rtp.packets),
    activity: rtp.accepted + others.reduce((all, { accepted }) => all + accepted, 0),
    dropped: rtp.errors,
    endpoint: endpointOf(rtp.endpoint),
    sources: typeof rtp.source === "number" ? [`${rtp.source}`] : [],
  };
}

function endpointOf(value: BencodedValue | undefined): Endpoint | null {
  const { address, port } = dictionary(value);
  return typeof address === "string" && typeof port === "number" ? { address, port } : null;
}

function sum(sides: readonly SideStats[]): SideStats {
  return {
    packets: sides.reduce((all, { packets }) => all + packets, 0),
    bytes: sides.reduce((all, { bytes }) => all + bytes, 0),
    activity: sides.reduce((all, { activity }) => all + activity, 0),
    dropped: sides.reduce((all, { dropped }) => all + dropped, 0),
    endpoint: null,
    sources: sides.flatMap(({ sources }) => sources),
  };
}

/** The receiver's RTCP report about these sources; null before the first. rtpengine's times are in microseconds. */
function reportOn(sources: readonly string[], response: NgResponse): LegStats["browserReport"] {
  const reports = dictionary(response.SSRC);
  const report = sources.map((source) => reports[source]).find((one) => one !== undefined);
  if (report === undefined) return null;
  const lost = dictionary(report)["cumulative loss"];
  if (typeof lost !== "number") return null;
  const roundTrip = dictionary(dictionary(report)["average MOS"])["round-trip time"];
  return { lost, roundTripMs: typeof roundTrip === "number" && roundTrip > 0 ? roundTrip / 1_000 : null };
}

function dictionary(value: BencodedValue | undefined): { readonly [key: string]: BencodedValue } {
  return typeof value === "object" && !Array.isArray(value) ? (value as { readonly [key: string]: BencodedValue }) : {};
}

function list(value: BencodedValue | undefined): readonly BencodedValue[] {
  return Array.isArray(value) ? (value as readonly BencodedValue[]) : [];
}

function number(value: BencodedValue | undefined): number {
  return typeof value === "number" ? value : 0;
}

/** Detects silence from a packet counter that is polled. */
export class SilenceDetector {
  #count = 0;
  #updatedAtMs: number;
  #changedAtMs: number;
  #aliveUntilMs: number;
  #heardSinceMark = false;

  constructor(nowMs: number) {
    this.#updatedAtMs = nowMs;
    this.#changedAtMs = nowMs;
    this.#aliveUntilMs = nowMs;
  }

  update(count: number, nowMs: number): void {
    if (count > this.#count) {
      this.#aliveUntilMs = this.#updatedAtMs;
      this.#changedAtMs = nowMs;
      this.#count = count;
      this.#heardSinceMark = true;
    }
    this.#updatedAtMs = nowMs;
  }

  get everHeard(): boolean {
    return this.#count > 0;
  }

  get heardSinceMark(): boolean {
    return this.#heardSinceMark;
  }

  /** Counts the side as heard now, for a new source or one that need not send. */
  markHeard(nowMs: number): void {
    this.#heardSinceMark = false;
    this.#changedAtMs = nowMs;
    this.#aliveUntilMs = nowMs;
  }

  /** Milliseconds since the counter was last seen to change. */
  silentMs(nowMs: number): number {
    return nowMs - this.#changedAtMs;
  }

  /** Milliseconds since the side was certainly alive: `silentMs` plus one polling interval. Possible silence is not charged. */
  sinceHeardMs(nowMs: number): number {
    return nowMs - this.#aliveUntilMs;
  }
}
