import { execFile, execFileSync } from "node:child_process";
import { createSocket } from "node:dgram";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { LOOPBACK } from "@farline/voice/test/loopback.ts";
import { openPlane } from "@farline/voice/test/media-harness.ts";
import { openTestBrowser } from "@farline/voice/test/test-browser.ts";
import { createTrunks } from "@farline/voice/sip/create-trunks.ts";
import { replyTo, requestInDialog, type SocketCarrier, startSocketCarrier } from "@farline/voice/test/socket-carrier.ts";
import { dial, EXCHANGE_NUMBER, OFFER, trunkTo } from "@farline/voice/test/sip-bench.ts";
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
/** Of the carrier: the flood comes in its name. */
const TRUNK = "127.0.0.1";
const SIGNAL_RATES = [0, 10_000];
const SIGNAL_CALLS = 12;
const TALK_MS = 400;
const SOURCE = fileURLToPath(new URL("flood.c", import.meta.url));
const run = promisify(execFile);

/**
 * How a flood from one source to the port of one call affects other calls in the same media process: lost packets and delays, by the
 * flood's packets per second. The flood consists of connectivity checks with the right user name, which cost the most of all packets
 * that an outsider can send. Then how one in the trunk's name to the SIP port affects calls of a carrier that says everything once. Needs
 * what `media` needs.
 */
export async function flood(): Promise<Record<string, unknown>> {
  const folder = mkdtempSync(join(tmpdir(), "farline-bench-"));
  const program = join(folder, "flood");
  execFileSync("gcc", ["-O2", "-Wall", "-o", program, SOURCE], { stdio: "inherit" });
  const rounds = [];
  for (const rate of RATES) rounds.push(await underFlood(program, rate));
  const signals = [];
  for (const rate of SIGNAL_RATES) signals.push(await underSignals(program, rate));
  rmSync(folder, { recursive: true });
  return { calls: CALLS, secondsEach: SECONDS, rounds, signals };
}

async function underFlood(program: string, packetsPerSecond: number): Promise<Record<string, unknown>> {
  const plane = await openPlane();
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

/** Calls spread over the flood's seconds, which the carrier answers and ends, each by one datagram. */
async function underSignals(program: string, packetsPerSecond: number): Promise<Record<string, unknown>> {
  const far: SocketCarrier = await startSocketCarrier("udp", (message, send) => {
    const headers = [`Contact: <sip:c@${TRUNK}:${far.port}>`];
    if (message.startsWith("INVITE ")) send(replyTo(message, "200 OK", { headers, sdp: OFFER }));
  });
  const options = { address: LOOPBACK, port: 0, exchangeNumber: EXCHANGE_NUMBER, log: pino({ level: "silent" }) };
  const trunks = await createTrunks([trunkTo(far.port)], options);
  const junk = Buffer.from(`OPTIONS sip:x SIP/2.0\r\nVia: SIP/2.0/UDP ${TRUNK};branch=z9hG4bK1\r\nCall-ID: flood\r\n\r\n`);
  const args = [TRUNK, String(trunks.port), String(packetsPerSecond), String(SECONDS), junk.toString("hex")];
  const flooding = run(program, args);
  const hangUp = createSocket("udp4");
  let [answered, ended] = [0, 0];
  const endsMs: number[] = [];
  const beganAt = performance.now();
  for (let call = 1; call <= SIGNAL_CALLS; call += 1) {
    await pause(Math.max(0, beganAt + (call * SECONDS * 1_000) / (SIGNAL_CALLS + 1) - performance.now()));
    const dialled = dial(trunks);
    const isAnswered = await happens(dialled.answered);
    if (isAnswered) {
      answered += 1;
      const invite = far.heard.findLast((message) => message.startsWith("INVITE ")) ?? "";
      const saidAt = performance.now();
      hangUp.send(requestInDialog(invite, "BYE", 1).replace("SIP/2.0/TCP", "SIP/2.0/UDP"), trunks.port, TRUNK);
      if (await happens(dialled.ended)) ended += 1;
      endsMs.push(performance.now() - saidAt);
    }
    await dialled.call.hangUp();
  }
  const { stdout } = await flooding;
  hangUp.close();
  await trunks.close();
  await far.close();
  const slowest = round(Math.max(0, ...endsMs));
  return { packetsPerSecond, floodSent: Number(stdout), calls: SIGNAL_CALLS, answered, ended, slowestEndMs: slowest };
}

/** Whether it happens before we would say anything twice. */
function happens(what: Promise<unknown>): Promise<boolean> {
  return Promise.race([what.then(() => true), pause(TALK_MS).then(() => false)]);
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
