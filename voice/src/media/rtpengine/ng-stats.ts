import type { LegStats } from "../media-plane.ts";
import type { BencodedValue } from "./bencode.ts";
import type { NgResponse } from "./ng-client.ts";
import { FAR_TAG } from "./ng-call.ts";

const RTP_HEADER_BYTES = 12;

/** One side's counters in rtpengine's `query`. */
interface SideStats {
  /** RTP packets. */
  readonly packets: number;
  /** Payload bytes. */
  readonly bytes: number;
  /** RTP and RTCP packets: changes as long as the side is alive. */
  readonly activity: number;
  readonly sources: readonly string[];
}

export interface QueryResult {
  /** Of all the browser's transports. */
  readonly browser: SideStats;
  /** `activity` of one of the browser's transports. */
  readonly activityOf: (tag: string) => number;
  readonly far: SideStats;
  readonly stats: LegStats;
}

/** Reads the response to `query`. Missing values are null, never 0. */
export function readQuery(response: NgResponse): QueryResult {
  const tags = dictionary(response.tags);
  const side = (of: readonly string[]): SideStats => sum(of.map((tag) => sideOf(tags[tag])));
  const browserTags = Object.keys(tags).filter((tag) => tag !== FAR_TAG);
  const browser = side(browserTags);
  const far = side([FAR_TAG]);
  const received = ({ packets, bytes }: SideStats) => ({ packets, bytes, lost: null, jitterMs: null });
  const sent = { packets: null, bytes: null };
  return {
    browser,
    far,
    activityOf: (tag) => sideOf(tags[tag]).activity,
    stats: {
      ...{ fromBrowser: received(browser), toBrowser: sent, fromFar: received(far), toFar: sent },
      browserReport: reportOn(far.sources, response),
      farReport: reportOn(browser.sources, response),
    },
  };
}

function sideOf(value: BencodedValue | undefined): SideStats {
  const streams = list(value === undefined ? undefined : dictionary(value).medias).flatMap((media) =>
    list(dictionary(media).streams),
  );
  const [rtp, ...others] = streams.map((stream) => {
    const { packets, bytes } = dictionary(dictionary(stream).stats);
    return { packets: number(packets), bytes: number(bytes), source: dictionary(stream).SSRC };
  });
  if (rtp === undefined) return sum([]);
  return {
    packets: rtp.packets,
    bytes: Math.max(0, rtp.bytes - RTP_HEADER_BYTES * rtp.packets),
    activity: rtp.packets + others.reduce((all, { packets }) => all + packets, 0),
    sources: typeof rtp.source === "number" ? [`${rtp.source}`] : [],
  };
}

function sum(sides: readonly SideStats[]): SideStats {
  return {
    packets: sides.reduce((all, { packets }) => all + packets, 0),
    bytes: sides.reduce((all, { bytes }) => all + bytes, 0),
    activity: sides.reduce((all, { activity }) => all + activity, 0),
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
