/** The media process: WebRTC and RTP of all its calls. Started by `media-link.ts`, which sends commands over the child-process channel. */
import { setPriority } from "node:os";
import { createLog } from "../log.ts";
import { RateLimitedLog } from "../rate-limits/rate-limited-log.ts";
import { AnnouncementLeg } from "./announcement-leg.ts";
import { FrameClock } from "./audio/frame-clock.ts";
import { ProcessLoad, SAMPLE_MS } from "./load/process-load.ts";
import { MediaLeg } from "./media-leg.ts";
import type { MediaOperation, MediaOperations, MediaProcessSettings, MediaReport, MediaRequest } from "./media-messages.ts";
import { type HeardChange, MediaError } from "./media-plane.ts";
import { spokenCode } from "./audio/spoken-code.ts";
import { warmUp } from "./audio/warm-up.ts";

const HOUSEKEEPING_MS = 1_000;
/** Nice value: audio takes precedence, if the system permits. */
const AUDIO_PRIORITY = -10;
/** Concurrent announcements, each shorter than a minute. */
const MAX_ANNOUNCEMENTS = 20;

const settings = JSON.parse(process.argv[2] ?? "{}") as MediaProcessSettings;
const log = createLog(settings.logLevel, "voice-media");
const limitedLog = new RateLimitedLog(log);
const clock = new FrameClock();
const load = new ProcessLoad();
const legs = new Map<string, MediaLeg>();
const announcements = new Map<string, AnnouncementLeg>();
const portOfLeg = new Map<string, number>();
let droppedPackets = 0;
let refusedPackets = 0;
let nextPort = settings.webrtcPorts?.first ?? 0;

function report(message: MediaReport): void {
  if (process.connected) process.send?.(message);
}

/**
 * Reserves a pair of ports: werift uses the first, and the other when the leg offers a new transport. Null: any port.
 */
function reserveWebrtcPort(leg: string): number | null {
  const range = settings.webrtcPorts;
  if (range === null) return null;
  const taken = new Set(portOfLeg.values());
  const pairs = Math.floor((range.last - range.first + 1) / 2);
  for (let tried = 0; tried < pairs; tried += 1) {
    const port = nextPort;
    nextPort = port + 3 > range.last ? range.first : port + 2;
    if (taken.has(port)) continue;
    portOfLeg.set(leg, port);
    return port;
  }
  throw new MediaError("no_capacity", "Every WebRTC port is in use.");
}

function legOf(id: string): MediaLeg {
  const leg = legs.get(id);
  if (leg === undefined) throw new MediaError("no_such_leg", "The leg has ended.");
  return leg;
}

async function forgetLeg(id: string): Promise<void> {
  const leg = legs.get(id);
  legs.delete(id);
  await leg?.close();
  portOfLeg.delete(id);
}

async function openLeg(body: MediaOperations["openLeg"]["request"]): Promise<MediaOperations["openLeg"]["reply"]> {
  if (legs.size >= settings.maxLegs) throw new MediaError("no_capacity", `All ${settings.maxLegs} legs are in use.`);
  if (load.isFull(legs.size, settings.fullAt)) throw new MediaError("no_capacity", "The process is overloaded.");
  const id = body.leg;
  const failed = (): void => {
    if (!legs.has(id)) return;
    log.info({ session: id }, "leg failed");
    void forgetLeg(id);
    report({ kind: "failed", leg: id });
  };
  const heardChange = (change: HeardChange): void => report({ kind: "heard_change", leg: id, change });
  const farSilent = (silentMs: number): void => report({ kind: "far_silent", leg: id, silentMs });
  try {
    const webrtcPort = reserveWebrtcPort(id);
    const dropped = (): void => void (droppedPackets += 1);
    const refused = (): void => void (refusedPackets += 1);
    const events = { failed, dropped, refused, heardChange, farSilent };
    const { leg, answerSdp } = await MediaLeg.open(body.offerSdp, body.wanted, {
      id,
      settings,
      clock,
      load,
      webrtcPort,
      ...events,
    });
    legs.set(id, leg);
    return { answerSdp, codec: leg.codec };
  } catch (error) {
    portOfLeg.delete(id);
    throw error;
  }
}

async function closeLeg(id: string): Promise<MediaOperations["closeLeg"]["reply"]> {
  const stats = legOf(id).stats();
  await forgetLeg(id);
  return stats;
}

async function openAnnouncement(id: string): Promise<MediaOperations["openAnnouncement"]["reply"]> {
  if (announcements.size >= MAX_ANNOUNCEMENTS) throw new MediaError("no_capacity", "Too many announcements are in progress.");
  const leg = await AnnouncementLeg.open(settings, clock);
  announcements.set(id, leg);
  return { sdp: leg.offerSdp };
}

function announcementOf(id: string): AnnouncementLeg {
  const leg = announcements.get(id);
  if (leg === undefined) throw new MediaError("no_such_leg", "The leg has ended.");
  return leg;
}

function closeAnnouncement(id: string): null {
  announcements.get(id)?.close();
  announcements.delete(id);
  return null;
}

function usage(): MediaOperations["usage"]["reply"] {
  const cpu = process.cpuUsage();
  return {
    legs: legs.size,
    processId: process.pid,
    memoryBytes: process.memoryUsage.rss(),
    cpuMs: Math.round((cpu.user + cpu.system) / 1_000),
    ...load.metrics,
    droppedPackets,
    refusedPackets,
  };
}

type Handlers = {
  [Name in MediaOperation]: (
    body: MediaOperations[Name]["request"],
  ) => MediaOperations[Name]["reply"] | Promise<MediaOperations[Name]["reply"]>;
};

const handlers: Handlers = {
  openLeg,
  openRtp: ({ leg }) => legOf(leg).openRtp(),
  connectRtp: ({ leg, remoteSdp, trunkAddresses }) => legOf(leg).connectRtp(remoteSdp, trunkAddresses),
  tone: ({ leg, on }) => {
    legOf(leg).tone(on);
    return null;
  },
  sendDigits: async ({ leg, digits }) => {
    await legOf(leg).sendDigits(digits);
    return null;
  },
  hold: ({ leg, on }) => {
    legOf(leg).hold(on);
    return null;
  },
  restart: async ({ leg, offerSdp }) => ({ answerSdp: await legOf(leg).restart(offerSdp) }),
  reofferMedia: ({ leg }) => legOf(leg).reofferMedia(),
  acceptAnswer: async ({ leg, answerSdp }) => {
    await legOf(leg).acceptAnswer(answerSdp);
    return null;
  },
  echo: ({ leg }) => {
    legOf(leg).echo();
    return null;
  },
  isHeard: ({ leg }) => ({ heard: legOf(leg).isHeard }),
  stats: ({ leg }) => legOf(leg).stats(),
  closeLeg: ({ leg }) => closeLeg(leg),
  openAnnouncement: ({ leg }) => openAnnouncement(leg),
  connectAnnouncement: async ({ leg, remoteSdp, trunkAddresses }) => ({
    sdp: await announcementOf(leg).connect(remoteSdp, trunkAddresses),
  }),
  readCode: async ({ leg, code, language }) => {
    await announcementOf(leg).play(spokenCode(code, language));
    return null;
  },
  closeAnnouncement: ({ leg }) => closeAnnouncement(leg),
  usage,
};

/** Ties each operation to its body type. */
function handle<Name extends MediaOperation>(operation: Name, body: MediaOperations[Name]["request"]): unknown {
  return handlers[operation](body);
}

async function onRequest(request: MediaRequest): Promise<void> {
  try {
    report({ kind: "reply", id: request.id, body: await handle(request.operation, request.body) });
  } catch (error) {
    const { operation, body } = request;
    if (!(error instanceof MediaError))
      log.error({ err: error, operation, ...("leg" in body ? { session: body.leg } : {}) }, "media request failed");
    const known = error instanceof MediaError ? error : new MediaError("internal", "The media process failed.");
    report({ kind: "error", id: request.id, code: known.code, message: known.message });
  }
}

// A rejection that werift does not handle concerns one leg at most. An exception outside promises leaves an unknown state.
process.on("unhandledRejection", (reason) => limitedLog.warn({ err: reason }, "unhandled rejection"));
process.on("uncaughtException", (error) => {
  log.fatal({ err: error }, "media process failed");
  process.exit(1);
});
process.on("disconnect", () => process.exit(0));
// Signals often reach the whole process group. The exchange ends its calls first and then disconnects.
process.on("SIGINT", () => undefined);
process.on("SIGTERM", () => undefined);

try {
  setPriority(AUDIO_PRIORITY);
} catch (error) {
  log.debug({ err: error }, "audio runs at normal priority");
}
// 0.0.0.0 is no address to send to.
await warmUp(settings.mediaAddress.bound === "0.0.0.0" ? "127.0.0.1" : settings.mediaAddress.bound);
// oxlint-disable-next-line farline/bounded-timers -- runs as long as the process
setInterval(() => {
  const nowMs = performance.now();
  for (const leg of legs.values()) leg.housekeep(nowMs);
}, HOUSEKEEPING_MS);
// oxlint-disable-next-line farline/bounded-timers -- runs as long as the process
setInterval(() => load.sample(performance.now()), SAMPLE_MS);
process.on("message", (message) => void onRequest(message as MediaRequest));
report({ kind: "ready" });
