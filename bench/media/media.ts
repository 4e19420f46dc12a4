import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { type MediaPlane, MediaError } from "@farline/voice/media/media-plane.ts";
import { freePort } from "@farline/voice/test/free-port.ts";
import { LOOPBACK } from "@farline/voice/test/loopback.ts";
import { openPlane } from "@farline/voice/test/media-harness.ts";
import { sdp } from "@farline/voice/test/scenarios/carrier-script.ts";
import { openTestBrowser } from "@farline/voice/test/test-browser.ts";
import { round } from "@farline/drills/support/spread.ts";
import { Rtpengine } from "./rtpengine.ts";
import { type CallEnds, type Direction, Sender } from "./sender.ts";

const CALLS = 100;
/** What one core should carry with rtpengine. */
const RTPENGINE_CALLS = 350;
const SECONDS = 10;
/** For packets in transit when the sender stops. */
const GRACE_MS = 500;
const SETTLE_MS = 2_000;
/** The unit of the kernel's CPU times (`getconf CLK_TCK`), the same on every current Linux. */
const TICKS_PER_SECOND = 100;

/**
 * What one media process carries on one core, PCMU between SRTP and RTP, 50 packets a second each way, when offered 100 calls and 200.
 * Then what rtpengine carries on one core, with 100 calls and 350. Needs taskset, gcc, libsrtp2-dev and rtpengine-daemon.
 */
export async function media(): Promise<Record<string, unknown>> {
  const own = await withPlane(CALLS);
  const overloaded = await withPlane(2 * CALLS);
  const rtpengine = await withRtpengine(CALLS);
  const rtpengineFull = await withRtpengine(RTPENGINE_CALLS);
  return {
    calls: own,
    twiceAsManyOffered: overloaded,
    rtpengine,
    rtpengineFull,
    cpuPerCallComparedWithRtpengine: round(own.cpuPercentPerCall / rtpengine.cpuPercentPerCall),
  };
}

interface Measured {
  readonly offered: number;
  readonly admitted: number;
  readonly cpuPercentPerCall: number;
}

async function withPlane(offered: number): Promise<Measured> {
  const plane = await openPlane({ maxLegs: offered });
  const [process] = plane.stats();
  return await measure({
    offered,
    pid: process?.processId ?? 0,
    openCall: () => openCall(plane),
    facts: async () => ({ droppedPackets: plane.stats()[0]?.droppedPackets }),
    close: () => plane.close(),
  });
}

async function withRtpengine(offered: number): Promise<Measured> {
  const engine = await Rtpengine.start();
  return await measure({
    offered,
    pid: engine.pid,
    openCall: () => engine.openCall(),
    facts: async () => ({}),
    close: () => engine.close(),
  });
}

interface Subject {
  readonly offered: number;
  readonly pid: number;
  /** Null when the call is refused. */
  openCall(): Promise<CallEnds | null>;
  facts(): Promise<Record<string, unknown>>;
  close(): Promise<void>;
}

/** The subject has the first core to itself; call control, sender and receiver run on the second. */
async function measure(subject: Subject): Promise<Measured> {
  const sender = new Sender();
  pin(subject.pid, 0);
  pin(sender.pid, 1);
  pin(process.pid, 1);
  for (let call = 0; call < subject.offered; call += 1) {
    const ends = await subject.openCall();
    if (ends !== null) sender.talk(ends);
  }
  await pause(SETTLE_MS);
  const before = cpuSeconds(subject.pid);
  sender.mark();
  await pause(SECONDS * 1_000);
  sender.stop();
  const cpuPercent = (100 * (cpuSeconds(subject.pid) - before)) / SECONDS;
  await pause(GRACE_MS);
  const { calls, lateP99, toTrunk, toBrowser } = await sender.report();
  const facts = await subject.facts();
  await sender.close();
  await subject.close();
  return {
    offered: subject.offered,
    admitted: calls,
    cpuPercentPerCall: round(cpuPercent / calls),
    ...{ toTrunk: delays(toTrunk), toBrowser: delays(toBrowser), ...facts, senderLateMsP99: lateP99 },
  };
}

/** In milliseconds. */
function delays({ sent, received, p50, p99, max }: Direction): Record<string, number> {
  return { p50, p99, max, lostPercent: round(100 * (1 - received / sent)) };
}

export async function openCall(plane: MediaPlane): Promise<CallEnds | null> {
  const browser = await openTestBrowser();
  const leg = await plane.openLeg(browser.offerSdp).catch((error: unknown) => {
    if (error instanceof MediaError && error.code === "no_capacity") return null;
    throw error;
  });
  if (leg === null) {
    await browser.close();
    return null;
  }
  await browser.connect(leg.answerSdp);
  const farPort = await freePort();
  const rtpPort = Number(/^m=audio (\d+)/m.exec((await leg.openRtp()).sdp)?.[1]);
  const far = sdp([`m=audio ${farPort} RTP/AVP 0`, ""], LOOPBACK.bound);
  await leg.connectRtp(far.join("\r\n"));
  const webrtcPort = Number(/^a=candidate:\S+ 1 udp \d+ \S+ (\d+)/im.exec(leg.answerSdp)?.[1]);
  return { browser: browser.handOver(), webrtcPort, rtpPort, farPort };
}

export function pin(pid: number, core: number): void {
  execFileSync("taskset", ["--all-tasks", "--pid", "--cpu-list", String(core), String(pid)], { stdio: "ignore" });
}

/** User and system time of a process; see proc_pid_stat(5). */
function cpuSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
    .replace(/^.*\) /, "")
    .split(" ");
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}
