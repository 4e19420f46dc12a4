import pino from "pino";
import type { CallCodec } from "../src/call-codec.ts";
import type { CallRoute } from "../src/call-route.ts";
import type { ParkRequest } from "../src/calls/leg-requests.ts";
import type { CallLeg, LegIds } from "../src/calls/call-leg.ts";
import type { CallerLine } from "../src/calls/caller-line.ts";
import type { CallEnd } from "../src/calls/hangup-causes.ts";
import type { Announcement, BrowserLeg, HeardChange, LegStats, MediaSource } from "../src/media/media-plane.ts";
import type { DialRequest, FarCall, FarEnd, FarEvents, FarNetwork } from "../src/sip/trunk.ts";

export const silentLog = pino({ level: "silent" });

const noStats: LegStats = {
  fromBrowser: { packets: 100, bytes: 0, lost: 0, jitterMs: 1 },
  toBrowser: { packets: 90, bytes: 0 },
  fromFar: { packets: 90, bytes: 0, lost: 10, jitterMs: 2 },
  toFar: { packets: 100, bytes: 0 },
  browserReport: null,
  farReport: null,
};

/** A far end driven by the test. Ends when hung up, or after the ring time-out. */
class ScriptedFarCall implements FarCall {
  readonly request: DialRequest;
  readonly events: FarEvents;
  readonly #ringTimer: NodeJS.Timeout;
  answered = false;
  ended = false;
  route: CallRoute = { trunk: "scripted", cost: null, attempts: [] };
  trunkAddresses = ["192.0.2.1"];

  constructor(request: DialRequest, events: FarEvents) {
    this.request = request;
    this.events = events;
    this.#ringTimer = setTimeout(() => this.end({ sipStatus: 487, by: "timeout" }), request.ringTimeoutMs);
  }

  progress(sdp: string | null): void {
    if (!this.ended && !this.answered) this.events.onProgress({ status: sdp === null ? 180 : 183, sdp });
  }

  answer(sdp = "far-sdp"): void {
    if (this.ended || this.answered) return;
    this.answered = true;
    clearTimeout(this.#ringTimer);
    this.events.onAnswer({ sdp, from: this.request.from, dialog: `dialog with ${this.request.to}` });
  }

  end(end: Partial<FarEnd>): void {
    if (this.ended) return;
    this.ended = true;
    clearTimeout(this.#ringTimer);
    this.events.onEnd({
      sipStatus: 200,
      reason: "scripted",
      q850Cause: null,
      by: "callee",
      answered: this.answered,
      trunk: this.route.trunk ?? "",
      ...end,
    });
  }

  async hangUp(): Promise<void> {
    this.end({ sipStatus: this.answered ? 200 : 487, by: "us" });
  }
}

export class ScriptedNetwork implements FarNetwork {
  readonly calls: ScriptedFarCall[] = [];
  opus = false;

  supportsOpus(): boolean {
    return this.opus;
  }

  dial(request: DialRequest, events: FarEvents): FarCall {
    const call = new ScriptedFarCall(request, events);
    this.calls.push(call);
    return call;
  }

  /** Arguments of `endDialog`. */
  readonly endedDialogs: string[] = [];

  async endDialog(dialog: string): Promise<void> {
    this.endedDialogs.push(dialog);
  }

  get last(): ScriptedFarCall {
    const call = this.calls.at(-1);
    if (call === undefined) throw new Error("nothing was dialled");
    return call;
  }
}

export class ScriptedMedia implements BrowserLeg {
  readonly answerSdp = "answer-sdp";
  codec: CallCodec = "g711";
  readonly commands: string[] = [];
  #ended: (() => void) | null = null;
  #emitHeardChange: ((change: HeardChange) => void) | null = null;
  /** Reports silence of the far end. */
  farSilent: (silentMs: number) => void = () => undefined;
  /** The result of `isHeard`. */
  heard = true;

  rtpOpened = 0;
  /** The trunk's addresses of the last `connectRtp`. */
  audioFrom: readonly string[] = [];

  async openRtp(): Promise<{ sdp: string }> {
    this.rtpOpened += 1;
    return { sdp: "rtp-sdp" };
  }
  async connectRtp(remoteSdp: string, trunkAddresses: readonly string[] = []): Promise<{ sdp: string }> {
    this.commands.push(`connect ${remoteSdp}`);
    this.audioFrom = trunkAddresses;
    if (remoteSdp === "bad-sdp") throw new Error("bad SDP");
    return { sdp: "rtp-sdp" };
  }
  /** Called when ringback starts. */
  onRing: () => void = () => undefined;
  playRingback(): void {
    this.onRing();
    this.commands.push("ringback");
  }
  stopTone(): void {
    this.commands.push("stop tone");
  }
  async sendDigits(digits: string): Promise<void> {
    this.commands.push(`digits ${digits}`);
  }
  hold(on: boolean): void {
    this.commands.push(on ? "hold" : "unhold");
  }
  async restart(offerSdp: string): Promise<string> {
    return `answer to ${offerSdp}`;
  }
  async reofferMedia(): Promise<{ offerSdp: string }> {
    this.commands.push("offer again");
    return { offerSdp: "new-offer-sdp" };
  }
  async acceptAnswer(answerSdp: string): Promise<void> {
    this.commands.push(`take ${answerSdp}`);
  }
  echo(): void {
    this.commands.push("echo");
  }
  async isHeard(): Promise<boolean> {
    return this.heard;
  }
  onHeardChange(callback: (change: HeardChange) => void): void {
    this.#emitHeardChange = callback;
    if (this.heard) callback({ heard: true, hasSpoken: true });
  }
  hear(change: HeardChange): void {
    this.heard = change.heard;
    this.#emitHeardChange?.(change);
  }
  onFarSilent(callback: (silentMs: number) => void): void {
    this.farSilent = callback;
  }
  onEnded(callback: () => void): void {
    this.#ended = callback;
  }
  fail(): void {
    this.#ended?.();
    this.#ended = null;
  }
  async stats(): Promise<LegStats> {
    return noStats;
  }
  async close(): Promise<LegStats> {
    this.commands.push("close");
    this.#ended = null;
    this.#emitHeardChange = null;
    return noStats;
  }
}

/** Records the code. The test resolves `read`. */
class ScriptedAnnouncement implements Announcement {
  readonly sdp = "announcement-sdp";
  readonly read = Promise.withResolvers<void>();
  code: string | null = null;
  language: string | null = null;
  closed = false;

  async connect(): Promise<{ sdp: string }> {
    return { sdp: this.sdp };
  }
  readCode(code: string, language: string): Promise<void> {
    this.code = code;
    this.language = language;
    return this.read.promise;
  }
  async close(): Promise<void> {
    this.closed = true;
    this.read.resolve();
  }
}

/** Opens legs at once, or after `holdBack` when the test calls `release`. */
export class ScriptedMediaSource implements MediaSource {
  readonly legs: ScriptedMedia[] = [];
  readonly announcements: ScriptedAnnouncement[] = [];
  #held: (() => void)[] | null = null;
  failWith: Error | null = null;
  /** Whether browsers are heard at first. */
  browsersHeard = true;

  holdBack(): void {
    this.#held ??= [];
  }

  release(): void {
    for (const open of this.#held ?? []) open();
    this.#held = null;
  }

  async openLeg(_offerSdp: string, wanted: CallCodec): Promise<BrowserLeg> {
    if (this.#held !== null) await new Promise<void>((resolve) => this.#held?.push(resolve));
    if (this.failWith !== null) throw this.failWith;
    const leg = new ScriptedMedia();
    leg.codec = wanted;
    leg.heard = this.browsersHeard;
    this.legs.push(leg);
    return leg;
  }

  async openAnnouncement(): Promise<Announcement> {
    const announcement = new ScriptedAnnouncement();
    this.announcements.push(announcement);
    return announcement;
  }

  get last(): ScriptedMedia {
    const leg = this.legs.at(-1);
    if (leg === undefined) throw new Error("no media was opened");
    return leg;
  }
}

/** Records the messages to the browser. */
export class RecordingLine implements CallerLine {
  readonly sent: string[] = [];
  ids: LegIds | null = null;
  end: CallEnd | null = null;

  ringing(leg: CallLeg): void {
    this.ids = leg;
    this.sent.push("ringing");
  }
  farRinging(): void {
    this.sent.push("far ringing");
  }
  media(): void {
    this.sent.push("media");
  }
  answered(): void {
    this.sent.push("answered");
  }
  repeat(): void {
    this.sent.push("repeat");
  }
  reoffer(): void {
    this.sent.push("reoffer");
  }
  ended(end: CallEnd): void {
    this.end = end;
    this.sent.push("ended");
  }
}

export function parkRequest(line: CallerLine, more: Partial<ParkRequest> = {}): ParkRequest {
  return {
    accountId: "account-1",
    username: "gencred1",
    connectionId: "connection-1",
    from: "+12025550143",
    to: "+442079460000",
    callerName: null,
    clientState: "dGlja2V0",
    customHeaders: [],
    offerSdp: "offer-sdp",
    line,
    ...more,
  };
}
