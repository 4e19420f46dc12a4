import { setTimeout as pause } from "node:timers/promises";
import { randomUUID } from "node:crypto";
import type { Logger } from "pino";
import { type BrowserLeg, type HeardChange, type LegStats, MediaError } from "../media-plane.ts";
import { LocalDescription } from "../sdp/local-description.ts";
import { readTrunkSdp, type TrunkSession } from "../sdp/trunk-sdp.ts";
import { DigitPlayer } from "./digit-player.ts";
import type { EngineLeg } from "./engine.ts";
import { FAR_TAG, type NgCall } from "./ng-call.ts";
import { type QueryResult, readQuery } from "./ng-stats.ts";
import { describeFar } from "./ng-sdp.ts";
import { RingbackPlayer } from "./ringback-player.ts";
import { SilenceDetector } from "./silence-detector.ts";

/** A browser sends 50 packets a second, muted or not, so two looks this far apart tell whether it is heard. */
const HEARING_MS = 300;
/** How long the browser may take to answer our offer and be heard. */
const OFFER_LIFE_MS = 20_000;
/** A browser comes back when its page or network changes; more often than this in one call is abuse. */
const MAX_OFFERS = 100;
const MAX_WAITING = 100;
/** How often a call's counters are looked at, and how often while somebody is missing. */
const LOOK_MS = 2_000;
const LOOK_CLOSELY_MS = 250;

export interface RtpengineLegOptions {
  /** A browser that sends nothing for this long is reported silent. */
  readonly silenceMs: number;
  /** A far end that sends nothing for this long, without a hold, is reported silent. */
  readonly farSilenceMs: number;
  readonly log: Logger;
}

/** One call's sound at an instance of rtpengine. Commands are carried out one after the other. */
export class RtpengineLeg implements BrowserLeg, EngineLeg {
  readonly id = randomUUID();
  answerSdp = "";
  readonly codec = "g711";
  readonly #call: NgCall;
  readonly #options: RtpengineLegOptions;
  readonly #digits: DigitPlayer;
  readonly #ringback: RingbackPlayer;
  readonly #browser = new SilenceDetector(performance.now());
  readonly #far = new SilenceDetector(performance.now());
  readonly #local = new LocalDescription();
  #turn: Promise<unknown> = Promise.resolve();
  #waiting = 0;
  #trunk: TrunkSession | null = null;
  #offered: { tag: string; sinceMs: number; answered: boolean } | null = null;
  #offers = 0;
  #restarts = 0;
  /** As last reported; null: neither heard nor missed yet. */
  #silent: boolean | null = null;
  #lookedAtMs = performance.now();
  #failed = false;
  #closing: Promise<LegStats | null> | null = null;
  #onHeardChange: ((hearing: HeardChange) => void) | null = null;
  #onFarSilent: ((silentMs: number) => void) | null = null;
  #onEnded: (() => void) | null = null;

  private constructor(call: NgCall, options: RtpengineLegOptions) {
    this.#call = call;
    this.#options = options;
    this.#digits = new DigitPlayer(call, () => this.#inTurn(() => call.allowDigits()));
    this.#ringback = new RingbackPlayer(call, async () => this.#trunk !== null && (await this.#look()).far.packets > 0);
  }

  /** @throws MediaError `bad_sdp`, `no_capacity`, `timeout` */
  static async open(offerSdp: string, call: NgCall, options: RtpengineLegOptions): Promise<RtpengineLeg> {
    const leg = new RtpengineLeg(call, options);
    leg.answerSdp = await call.answerBrowser(offerSdp);
    call.engine.carried.add(leg);
    return leg;
  }

  async openRtp(): Promise<{ sdp: string }> {
    this.#requireLive();
    return { sdp: this.#local.offer(this.#call.rtp) };
  }

  connectRtp(remoteSdp: string): Promise<{ sdp: string }> {
    return this.#inTurn(async () => {
      const session = await readTrunkSdp(remoteSdp, this.#call.rtp.address);
      const listenedBefore = listens(this.#trunk);
      await this.#call.setFar(describeFar(session, this.#trunk?.rtp ?? null));
      // An old way to hold names no address: the one known stays.
      this.#trunk = { ...session, rtp: session.rtp ?? this.#trunk?.rtp ?? null };
      this.#far.excuse(performance.now());
      if (listens(session) !== listenedBefore) await this.#gateFarListens();
      return { sdp: this.#local.answer(this.#call.rtp, session) };
    });
  }

  playRingback(): void {
    this.#tell(this.#ringback.play());
  }

  stopTone(): void {
    this.#ringback.stop();
  }

  async sendDigits(digits: string): Promise<void> {
    this.#requireLive();
    if (this.#trunk === null) throw new MediaError("no_far_end", "There is no far end yet.");
    await this.#digits.send(digits);
  }

  hold(on: boolean): void {
    this.#tell(this.#inTurn(() => this.#call.ask(on ? "silence media" : "unsilence media")));
  }

  restart(offerSdp: string): Promise<string> {
    return this.#inTurn(async () => {
      this.#restarts += 1;
      if (this.#restarts > MAX_OFFERS) throw new MediaError("bad_sdp", "Too many ICE restarts.");
      return await this.#call.answerBrowser(offerSdp);
    });
  }

  /** From here on the old transport is heard, but hears nothing: rtpengine sends the far end's sound to one transport only. */
  reofferMedia(): Promise<{ offerSdp: string }> {
    return this.#inTurn(async () => {
      this.#offers += 1;
      if (this.#offers > MAX_OFFERS) throw new MediaError("bad_sdp", "Too many offers.");
      const { tag, offerSdp } = await this.#call.offerBrowser();
      this.#offered = { tag, sinceMs: performance.now(), answered: false };
      return { offerSdp };
    });
  }

  takeAnswer(answerSdp: string): Promise<void> {
    return this.#inTurn(async () => {
      const offered = this.#offered;
      if (offered === null || offered.answered) throw new MediaError("no_offer", "Nothing is offered.");
      await this.#call.takeAnswer(offered.tag, answerSdp);
      offered.answered = true;
      if (!listens(this.#trunk)) await this.#gateFarListens();
    });
  }

  echo(): void {
    this.#tell(this.#inTurn(() => this.#call.echo()));
  }

  async hearing(): Promise<boolean> {
    const before = await this.#look();
    await pause(HEARING_MS);
    const after = await this.#look();
    return after.signsOf(this.#call.browserTag) > before.signsOf(this.#call.browserTag);
  }

  onHeardChange(callback: (hearing: HeardChange) => void): void {
    this.#onHeardChange = callback;
  }

  onFarSilent(callback: (silentMs: number) => void): void {
    this.#onFarSilent = callback;
  }

  onEnded(callback: () => void): void {
    if (this.#closing !== null) return;
    this.#onEnded = callback;
    if (this.#failed) callback();
  }

  async stats(): Promise<LegStats> {
    return (await this.#look()).stats;
  }

  close(): Promise<LegStats | null> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  /** Called when the instance is gone, and the call with it. */
  fail(): void {
    if (this.#failed || this.#closing !== null) return;
    this.#failed = true;
    this.#stopSounds();
    this.#call.engine.carried.delete(this);
    this.#onEnded?.();
  }

  async release(): Promise<void> {
    this.fail();
    await this.#call.delete();
  }

  /** Whether it is time for `watch`: a part of the shortest silence that is to be noticed. */
  mustBeWatched(nowMs: number): boolean {
    const { silenceMs, farSilenceMs } = this.#options;
    const everyMs =
      this.#silent !== false || this.#offered !== null ? LOOK_CLOSELY_MS : Math.min(LOOK_MS, silenceMs / 2, farSilenceMs / 2);
    return nowMs - this.#lookedAtMs >= everyMs;
  }

  /** Looks at the call's counters. Never rejects. */
  async watch(): Promise<void> {
    this.#lookedAtMs = performance.now();
    try {
      const figures = await this.#look();
      const nowMs = performance.now();
      this.#browser.see(figures.browser.signs, nowMs);
      this.#far.see(figures.far.signs, nowMs);
      await this.#watchOffer(figures, nowMs);
      await this.#watchBrowser(nowMs);
      this.#watchFar(nowMs);
    } catch (error) {
      if (error instanceof MediaError && error.code === "no_such_leg") this.fail();
      else this.#options.log.debug({ err: error, leg: this.id }, "leg not looked at");
    }
  }

  async #watchBrowser(nowMs: number): Promise<void> {
    const silent = this.#browser.silentMs(nowMs) > this.#options.silenceMs;
    if (silent === this.#silent || (!silent && !this.#browser.everHeard) || this.#closing !== null) return;
    const isFirst = this.#silent === null;
    this.#silent = silent;
    this.#onHeardChange?.(silent ? { heard: false, silentMs: this.#browser.sinceHeardMs(nowMs) } : { heard: true });
    if (isFirst && !silent) return;
    // Silence of a lost caller may be free of charge, so nobody may listen meanwhile.
    await this.#call.ask(silent ? "block media" : "unblock media", { "from-tag": FAR_TAG });
  }

  #watchFar(nowMs: number): void {
    if (this.#trunk === null || this.#closing !== null) return;
    // A far end that holds the call need not send.
    if (this.#trunk.direction === "recvonly" || this.#trunk.direction === "inactive") this.#far.excuse(nowMs);
    if (this.#far.silentMs(nowMs) > this.#options.farSilenceMs) this.#onFarSilent?.(this.#far.sinceHeardMs(nowMs));
  }

  /** Forgets an offer that was taken; takes back one that was not, so that the old transport hears the far end again. */
  async #watchOffer(figures: QueryResult, nowMs: number): Promise<void> {
    const offered = this.#offered;
    if (offered === null) return;
    const taken = offered.answered && figures.signsOf(offered.tag) > 0;
    if (!taken && nowMs - offered.sinceMs < OFFER_LIFE_MS) return;
    this.#offered = null;
    if (!offered.answered) await this.#inTurn(() => this.#call.renew());
  }

  async #look(): Promise<QueryResult> {
    this.#requireLive();
    return readQuery(await this.#call.ask("query"));
  }

  async #gateFarListens(): Promise<void> {
    await this.#call.ask(listens(this.#trunk) ? "unblock media" : "block media", { "from-tag": this.#call.browserTag });
  }

  #requireLive(): void {
    if (this.#failed || this.#closing !== null) throw new MediaError("no_such_leg", "The leg has ended.");
  }

  #inTurn<Result>(carryOut: () => Promise<Result>): Promise<Result> {
    if (this.#waiting >= MAX_WAITING) return Promise.reject(new MediaError("no_capacity", "Too many commands are waiting."));
    this.#waiting += 1;
    const result = this.#turn
      .then(() => {
        this.#requireLive();
        return carryOut();
      })
      .finally(() => (this.#waiting -= 1));
    this.#turn = result.catch(() => undefined);
    return result;
  }

  /** Sends a command without waiting for its result; the leg may have ended. */
  #tell(result: Promise<unknown>): void {
    result.catch((error: unknown) => this.#options.log.debug({ err: error, leg: this.id }, "media command not carried out"));
  }

  #stopSounds(): void {
    this.#digits.stop();
    this.#ringback.stop();
  }

  async #close(): Promise<LegStats | null> {
    this.#stopSounds();
    this.#call.engine.carried.delete(this);
    if (this.#failed) return null;
    const figures = await this.#call
      .ask("query")
      .then(readQuery)
      .catch(() => null);
    await this.#call.delete();
    return figures?.stats ?? null;
  }
}

/** Whether the far end wants to hear the caller. */
function listens(trunk: TrunkSession | null): boolean {
  return trunk === null || trunk.direction === "sendrecv" || trunk.direction === "recvonly";
}
