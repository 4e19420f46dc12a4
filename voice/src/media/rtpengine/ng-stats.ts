import type { LegStats } from "../media-plane.ts";
import type { BencodedValue } from "./bencode.ts";
import type { NgResponse } from "./ng-client.ts";
import { FAR_TAG } from "./ng-call.ts";

const RTP_HEADER_BYTES = 12;

/** What rtpengine's `query` tells of one side. */
interface SideStats {
  /** RTP. */
  readonly packets: number;
  /** Of their payload. */
  readonly bytes: number;
  /** RTP and RTCP: it changes as long as the side lives. */
  readonly signs: number;
  readonly sources: readonly string[];
}

export interface QueryResult {
  /** All transports of the browser together. */
  readonly browser: SideStats;
  /** Of one transport of the browser: what `QueryResult.browser.signs` is of all. */
  readonly signsOf: (tag: string) => number;
  readonly far: SideStats;
  readonly stats: LegStats;
}

/** Reads a `query`'s response. What it does not tell is null, never 0. */
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
    signsOf: (tag) => sideOf(tags[tag]).signs,
    stats: {
      ...{ fromBrowser: received(browser), toBrowser: sent, fromTrunk: received(far), toTrunk: sent },
      browserReport: reportOn(far.sources, response),
      trunkReport: reportOn(browser.sources, response),
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
    signs: rtp.packets + others.reduce((all, { packets }) => all + packets, 0),
    sources: typeof rtp.source === "number" ? [`${rtp.source}`] : [],
  };
}

function sum(sides: readonly SideStats[]): SideStats {
  return {
    packets: sides.reduce((all, { packets }) => all + packets, 0),
    bytes: sides.reduce((all, { bytes }) => all + bytes, 0),
    signs: sides.reduce((all, { signs }) => all + signs, 0),
    sources: sides.flatMap(({ sources }) => sources),
  };
}

/** What the receiver of these sources reported by RTCP; null before its first report. Times are in microseconds. */
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
