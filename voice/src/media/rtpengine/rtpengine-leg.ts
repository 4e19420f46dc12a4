import { setTimeout as pause } from "node:timers/promises";
import type { Logger } from "pino";
import { type BrowserLeg, type HeardChange, type LegStats, MAX_OFFERS, MediaError, OFFER_LIFE_MS } from "../media-plane.ts";
import { allowedSources, type Endpoint, isSame, PACKETS_TO_RELEARN, SILENCE_BEFORE_RELEARN_MS } from "../rtp/source-latch.ts";
import { LocalDescription } from "../sdp/local-description.ts";
import { holds, readTrunkSdp, type TrunkSession } from "../sdp/trunk-sdp.ts";
import { DigitPlayer } from "./digit-player.ts";
import type { EngineLeg } from "./engine.ts";
import type { NgCall } from "./ng-call.ts";
import { type QueryResult, SilenceDetector } from "./ng-stats.ts";
import { describeFar, FAR_TAG } from "./ng-sdp.ts";
import { RingbackPlayer } from "./ringback-player.ts";
import { Toggle } from "./toggle.ts";

/** A browser sends 50 packets a second, even if muted, so two queries this far apart show whether it is heard. */
const HEARD_WITHIN_MS = 300;

const MAX_WAITING = 100;

/** Query intervals: normally, and while a side is silent. */
const QUERY_MS = 2_000;

const FAST_QUERY_MS = 250;

/** The first wait after a search that did not find the far end, which doubles up to the longest. Each search mutes the call for a moment. */
const SEARCH_AGAIN_MS = 2_000;

const MAX_SEARCH_AGAIN_MS = 16_000;

interface RtpengineLegOptions {
  /** After this long without packets a browser is reported silent. */
  readonly silenceMs: number;
  /** After this long without packets a far end that does not hold is reported silent. */
  readonly farSilenceMs: number;
  readonly log: Logger;
}

/** One call's audio on an rtpengine instance. Commands are executed one after another. */
export class RtpengineLeg implements BrowserLeg, EngineLeg {
  readonly id: string;
  answerSdp = "";
  readonly codec = "g711";
  readonly #call: NgCall;
  readonly #options: RtpengineLegOptions;
  readonly #digits: DigitPlayer;
  readonly #ringback: RingbackPlayer;
  /** Silences both sides. */
  readonly #held: Toggle;
  /** Keeps the far end's audio from the browser. */
  readonly #farBlocked: Toggle;
  /** Keeps the browser's audio from the far end. */
  #browserBlocked: Toggle;
  readonly #browser = new SilenceDetector(performance.now());
  readonly #far = new SilenceDetector(performance.now());
  readonly #local = new LocalDescription();
  #queue: Promise<unknown> = Promise.resolve();
  #waiting = 0;
  #trunk: TrunkSession | null = null;
  /** Where the far end sends from, if not from the announced endpoint. */
  #source: Endpoint | null = null;
  #trunkAddresses: readonly string[] = [];
  #dropped = 0;
  /** The far end is to be heard for the first time, or may have moved. */
  #awaitsFar = false;
  #searching = false;
  #search = { notBeforeMs: 0, waitMs: SEARCH_AGAIN_MS };
  #offered: { tag: string; sinceMs: number; answered: boolean } | null = null;
  #offers = 0;
  #restarts = 0;
  /** As last reported; null before the first report. */
  #silent: boolean | null = null;
  #hasSpoken = false;
  #queriedAtMs = performance.now();
  #failed = false;
  #closing: Promise<LegStats | null> | null = null;
  #onHeardChange: ((change: HeardChange) => void) | null = null;
  #onFarSilent: ((silentMs: number) => void) | null = null;
  #onEnded: (() => void) | null = null;

  private constructor(id: string, call: NgCall, options: RtpengineLegOptions) {
    this.id = id;
    this.#call = call;
    this.#options = options;
    this.#held = new Toggle((on) => call.request(on ? "silence media" : "unsilence media"));
    this.#farBlocked = blockOf(call, FAR_TAG);
    this.#browserBlocked = blockOf(call, call.browserTag);
    this.#digits = new DigitPlayer(call, () => this.#inTurn(() => call.allowDigits()));
    this.#ringback = new RingbackPlayer(
      call,
      async () => this.#trunk !== null && !this.#searching && (await this.#query()).far.packets > 0,
    );
  }

  /** @throws MediaError `bad_sdp`, `no_capacity`, `timeout` */
  static async open(offerSdp: string, id: string, call: NgCall, options: RtpengineLegOptions): Promise<RtpengineLeg> {
    const leg = new RtpengineLeg(id, call, options);
    leg.answerSdp = await call.answerBrowser(offerSdp);
    call.engine.legs.add(leg);
    return leg;
  }

  async openRtp(): Promise<{ sdp: string }> {
    this.#requireLive();
    return { sdp: this.#local.offer(this.#call.rtp) };
  }

  connectRtp(remoteSdp: string, trunkAddresses: readonly string[] = []): Promise<{ sdp: string }> {
    return this.#inTurn(async () => {
      const session = await readTrunkSdp(remoteSdp, this.#call.rtp.address);
      const known = this.#trunk?.rtp ?? null;
      // Old-style hold has no address: keep the known one.
      const rtp = session.rtp ?? known;
      const source = rtp !== null && known !== null && isSame(rtp, known) ? this.#source : null;
      await this.#call.setFar(describeFar(source === null ? { ...session, rtp } : movedTo(source, session)));
      this.#trunk = { ...session, rtp };
      this.#source = source;
      this.#trunkAddresses = trunkAddresses;
      this.#search = { notBeforeMs: 0, waitMs: SEARCH_AGAIN_MS };
      this.#far.markHeard(performance.now());
      this.#browserBlocked.on = !receivesAudio(session);
      await this.#apply(this.#browserBlocked);
      return { sdp: this.#local.answer(this.#call.rtp, session) };
    });
  }

  playRingback(): void {
    this.#fireAndForget(this.#ringback.play());
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
    this.#held.on = on;
    this.#fireAndForget(this.#inTurn(() => this.#apply(this.#held)));
  }

  restart(offerSdp: string): Promise<string> {
    return this.#inTurn(async () => {
      this.#restarts += 1;
      if (this.#restarts > MAX_OFFERS) throw new MediaError("bad_sdp", "Too many ICE restarts.");
      return await this.#call.answerBrowser(offerSdp);
    });
  }

  /** From now on the old transport is heard but hears nothing, because rtpengine sends the far end's audio to only one transport. */
  reofferMedia(): Promise<{ offerSdp: string }> {
    return this.#inTurn(async () => {
      this.#offers += 1;
      if (this.#offers > MAX_OFFERS) throw new MediaError("bad_sdp", "Too many offers.");
      const { tag, offerSdp } = await this.#call.offerBrowser();
      this.#offered = { tag, sinceMs: performance.now(), answered: false };
      return { offerSdp };
    });
  }

  acceptAnswer(answerSdp: string): Promise<void> {
    return this.#inTurn(async () => {
      const offered = this.#offered;
      if (offered === null || offered.answered) throw new MediaError("no_offer", "Nothing is offered.");
      await this.#call.acceptAnswer(offered.tag, answerSdp);
      offered.answered = true;
      this.#browserBlocked = blockOf(this.#call, this.#call.browserTag);
      this.#browserBlocked.on = !receivesAudio(this.#trunk);
      await this.#apply(this.#browserBlocked);
    });
  }

  echo(): void {
    this.#fireAndForget(this.#inTurn(() => this.#call.echo()));
  }

  async isHeard(): Promise<boolean> {
    const before = await this.#query();
    await pause(HEARD_WITHIN_MS);
    const after = await this.#query();
    return after.activityOf(this.#call.browserTag) > before.activityOf(this.#call.browserTag);
  }

  onHeardChange(callback: (change: HeardChange) => void): void {
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
    return (await this.#query()).stats;
  }

  close(): Promise<LegStats | null> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  /** Called when the instance is down. */
  fail(): void {
    if (this.#failed || this.#closing !== null) return;
    this.#failed = true;
    this.#stopSounds();
    this.#call.engine.legs.delete(this);
    this.#onEnded?.();
  }

  async release(): Promise<void> {
    this.fail();
    await this.#call.delete();
  }

  /** Whether `check` is due. */
  isDue(nowMs: number): boolean {
    if (this.#searching) return false;
    // The far end may wait for the browser's first audio.
    if (!this.#hasSpoken && this.#trunk === null) return true;
    const { silenceMs, farSilenceMs } = this.#options;
    const everyMs =
      this.#silent !== false || this.#offered !== null || this.#awaitsFar
        ? FAST_QUERY_MS
        : Math.min(QUERY_MS, silenceMs / 2, farSilenceMs / 2);
    return nowMs - this.#queriedAtMs >= everyMs;
  }

  /** Queries the call's counters. Never rejects. */
  async check(): Promise<void> {
    this.#queriedAtMs = performance.now();
    try {
      const result = await this.#query();
      const nowMs = performance.now();
      this.#browser.update(result.browser.activity, nowMs);
      this.#far.update(result.far.activity, nowMs);
      await this.#watchOffer(result, nowMs);
      this.#watchBrowser(nowMs, this.#hasSpoken || result.browser.packets > 0);
      const toggles = [this.#held, this.#farBlocked, this.#browserBlocked, this.#ringback.tone];
      await Promise.all(toggles.map((toggle) => this.#apply(toggle)));
      this.#followFar(result, nowMs);
      this.#watchFar(nowMs);
    } catch (error) {
      if (error instanceof MediaError && error.code === "no_such_leg") this.fail();
      else this.#options.log.debug({ err: error, session: this.id }, "leg not queried");
    }
  }

  #watchBrowser(nowMs: number, hasSpoken: boolean): void {
    const silent = this.#browser.silentMs(nowMs) > this.#options.silenceMs;
    const isUnchanged = silent === this.#silent && hasSpoken === this.#hasSpoken;
    if (isUnchanged || (!silent && !this.#browser.everHeard) || this.#closing !== null) return;
    this.#silent = silent;
    this.#hasSpoken = hasSpoken;
    this.#onHeardChange?.(silent ? { heard: false, silentMs: this.#browser.sinceHeardMs(nowMs) } : { heard: true, hasSpoken });
    // A lost caller may not be charged for silence, so they must not hear the far end meanwhile.
    this.#farBlocked.on = silent;
  }

  #watchFar(nowMs: number): void {
    if (this.#trunk === null || this.#closing !== null) return;
    // A far end that holds need not send.
    if (holds(this.#trunk)) this.#far.markHeard(nowMs);
    if (this.#far.silentMs(nowMs) > this.#options.farSilenceMs) this.#onFarSilent?.(this.#far.sinceHeardMs(nowMs));
  }

  /** Looks for a far end that is silent while packets from a wrong source arrive: it may have moved, as `SourceLatch` allows. */
  #followFar({ far }: QueryResult, nowMs: number): void {
    const trunk = this.#trunk;
    const strayed = far.dropped >= this.#dropped + PACKETS_TO_RELEARN;
    this.#dropped = far.dropped;
    this.#awaitsFar = strayed || (trunk !== null && !holds(trunk) && !this.#far.heardSinceMark);
    if (!strayed || trunk === null || nowMs < this.#search.notBeforeMs || this.#closing !== null) return;
    if (this.#far.silentMs(nowMs) >= SILENCE_BEFORE_RELEARN_MS) this.#fireAndForget(this.#inTurn(() => this.#findFar(trunk)));
  }

  async #findFar(trunk: TrunkSession): Promise<void> {
    if (trunk !== this.#trunk || trunk.rtp === null) return; // described again meanwhile
    const allowed = allowedSources(trunk.rtp, this.#trunkAddresses);
    this.#searching = true;
    try {
      const describe = (source: Endpoint) => describeFar(movedTo(source, trunk));
      this.#source = (await this.#call.findSource(describe, allowed)) ?? this.#source;
      const { waitMs } = this.#search;
      this.#search = { notBeforeMs: performance.now() + waitMs, waitMs: Math.min(2 * waitMs, MAX_SEARCH_AGAIN_MS) };
    } catch (error) {
      // The call may be mute now.
      this.fail();
      throw error;
    } finally {
      this.#searching = false;
    }
  }

  /** Completes an accepted offer; withdraws an expired one, so that the old transport hears the far end again. */
  async #watchOffer(result: QueryResult, nowMs: number): Promise<void> {
    const offered = this.#offered;
    if (offered === null) return;
    const taken = offered.answered && result.activityOf(offered.tag) > 0;
    if (!taken && nowMs - offered.sinceMs < OFFER_LIFE_MS) return;
    this.#offered = null;
    if (!offered.answered) await this.#inTurn(() => this.#call.renew());
  }

  async #query(): Promise<QueryResult> {
    this.#requireLive();
    return await this.#call.query();
  }

  /** Never rejects: what fails is done by the next check. */
  #apply(toggle: Toggle): Promise<void> {
    return toggle.apply().catch((error: unknown) => this.#logFailure(error));
  }

  #requireLive(): void {
    if (this.#failed || this.#closing !== null) throw new MediaError("no_such_leg", "The leg has ended.");
  }

  #inTurn<Result>(run: () => Promise<Result>): Promise<Result> {
    if (this.#waiting >= MAX_WAITING) return Promise.reject(new MediaError("no_capacity", "Too many commands are waiting."));
    this.#waiting += 1;
    const result = this.#queue
      .then(() => {
        this.#requireLive();
        return run();
      })
      .finally(() => (this.#waiting -= 1));
    this.#queue = result.catch(() => undefined);
    return result;
  }

  /** Does not wait for the result; the leg may have ended. */
  #fireAndForget(result: Promise<unknown>): void {
    result.catch((error: unknown) => this.#logFailure(error));
  }

  #logFailure(error: unknown): void {
    this.#options.log.debug({ err: error, session: this.id }, "media command failed");
  }

  #stopSounds(): void {
    this.#digits.stop();
    this.#ringback.stop();
  }

  async #close(): Promise<LegStats | null> {
    this.#stopSounds();
    this.#call.engine.legs.delete(this);
    if (this.#failed) return null;
    const result = await this.#call.query().catch(() => null);
    await this.#call.delete();
    return result?.stats ?? null;
  }
}

function blockOf(call: NgCall, tag: string): Toggle {
  return new Toggle((on) => call.request(on ? "block media" : "unblock media", { "from-tag": tag }));
}

/** Whether the far end receives audio. */
function receivesAudio(trunk: TrunkSession | null): boolean {
  return trunk === null || trunk.direction === "sendrecv" || trunk.direction === "recvonly";
}

/** RTCP is taken for RTP's neighbour (RFC 3550 §11), because its announced port belongs to the announced endpoint. */
function movedTo(source: Endpoint, trunk: TrunkSession): TrunkSession {
  return { ...trunk, rtp: source, rtcp: null };
}
