import { execFile, execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { createMediaPlane } from "@farline/voice/media/create-media-plane.ts";
import { LOOPBACK } from "@farline/voice/test/loopback.ts";
import { openTestBrowser } from "@farline/voice/test/test-browser.ts";
import pino from "pino";
import { round } from "@farline/drills/support/spread.ts";
import { openCall, pin } from "./media.ts";
import { type Direction, Sender } from "./sender.ts";

const CALLS = 20;
const SECONDS = 10;
const SETTLE_MS = 2_000;
/** For packets in transit when the sender stops. */
const GRACE_MS = 500;
const RATES = [0, 10_000, 50_000, 100_000];
const STRANGER = "127.0.0.7";
const SOURCE = fileURLToPath(new URL("flood.c", import.meta.url));
const run = promisify(execFile);

/**
 * How a flood from one source to the port of one call affects other calls in the same media process: lost packets and delays, by the
 * flood's packets per second. The flood consists of connectivity checks with the right user name, which cost the most of all packets
 * that an outsider can send. Needs what `media` needs.
 */
export async function flood(): Promise<Record<string, unknown>> {
  const folder = mkdtempSync(join(tmpdir(), "farline-bench-"));
  const program = join(folder, "flood");
  execFileSync("gcc", ["-O2", "-Wall", "-o", program, SOURCE], { stdio: "inherit" });
  const rounds = [];
  for (const rate of RATES) rounds.push(await underFlood(program, rate));
  rmSync(folder, { recursive: true });
  return { calls: CALLS, secondsEach: SECONDS, rounds };
}

async function underFlood(program: string, packetsPerSecond: number): Promise<Record<string, unknown>> {
  const plane = await createMediaPlane({ mediaAddress: LOOPBACK, rtpAddress: LOOPBACK, log: pino({ level: "silent" }) });
  const sender = new Sender();
  pin(plane.stats()[0]?.processId ?? 0, 0);
  pin(sender.pid, 1);
  pin(process.pid, 1);
  for (let call = 0; call < CALLS; call += 1) {
    const ends = await openCall(plane);
    if (ends !== null) sender.talk(ends);
  }
  const victim = await openTestBrowser();
  const { answerSdp } = await plane.openLeg(victim.offerSdp);
  await victim.connect(answerSdp);
  await pause(SETTLE_MS);
  const port = /^a=candidate:\S+ 1 udp \d+ \S+ (\d+)/im.exec(answerSdp)?.[1] ?? "";
  sender.mark();
  const args = [STRANGER, port, String(packetsPerSecond), String(SECONDS), checkFor(answerSdp).toString("hex")];
  const { stdout } = await run(program, args);
  sender.stop();
  await pause(GRACE_MS);
  const { toTrunk, toBrowser, lateP99 } = await sender.report();
  const [stats] = plane.stats();
  await sender.close();
  await victim.close();
  await plane.close();
  return {
    packetsPerSecond,
    floodSent: Number(stdout),
    ...{ toTrunk: shown(toTrunk), toBrowser: shown(toBrowser) },
    ...{ refusedPackets: stats?.refusedPackets, busy: round(stats?.busy ?? 0), senderLateMsP99: lateP99 },
  };
}

/** Delays in milliseconds. */
function shown({ sent, received, p99, max }: Direction): Record<string, number> {
  return { lostPercent: round(100 * (1 - received / sent)), p99, max };
}

/** A binding request (RFC 5389 §6) with the right user and 20 bytes instead of a signature. */
function checkFor(answerSdp: string): Buffer {
  const name = Buffer.from(`${/^a=ice-ufrag:(\S+)/m.exec(answerSdp)?.[1] ?? ""}:them`);
  const user = Buffer.concat([Buffer.from([0, 6, 0, name.length]), name, Buffer.alloc((4 - (name.length % 4)) % 4)]);
  const signature = Buffer.concat([Buffer.from([0, 8, 0, 20]), Buffer.alloc(20, 1)]);
  const head = Buffer.from("000100002112a442", "hex");
  head.writeUInt16BE(user.length + signature.length, 2);
  return Buffer.concat([head, Buffer.alloc(12, 7), user, signature]);
}
