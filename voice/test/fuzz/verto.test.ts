import { usedHeap } from "@farline/domain/test/used-heap.ts";
import { EventEmitter } from "node:events";
import { setImmediate } from "node:timers/promises";
import pino from "pino";
import type { WebSocket } from "ws";
import { describe, expect, it } from "vitest";
import { RateLimitedLog } from "../../src/rate-limits/rate-limited-log.ts";
import { CallerIds } from "../../src/calls/caller-ids.ts";
import { createCalls } from "../../src/calls/calls.ts";
import { callRequestHandlers } from "../../src/verto/call-requests.ts";
import { MAX_FRAME_BYTES } from "../../src/verto/frames.ts";
import { DEFAULT_KEEP_ALIVE, VertoConnection } from "../../src/verto/verto-connection.ts";
import { VoiceSessions } from "../../src/verto/voice-sessions.ts";
import { ScriptedMediaSource, ScriptedNetwork } from "../scripted-ports.ts";
import { FUZZ_TIMEOUT_MS, handle, inputs, inputsOf, SEED, Uncaught } from "./fuzz-run.ts";
import { mutatedJson } from "./mutate-json.ts";
import { LOGIN, VERTO_FRAMES } from "./verto-corpus.ts";

/** A socket accepts a burst of 240 frames. */
const FRAMES_A_SOCKET = 200;
const MAX_GROWTH_BYTES = 30_000_000;
/** Response bytes per frame beyond the frame's own: an error and the id. */
const MAX_EXTRA_BYTES = 400;
/** Log lines per message of the rate-limited log: the burst, and then per second. */
const [LINES_AT_ONCE, LINES_A_SECOND, KINDS] = [20, 1, 6];

/** Replaces `ws`, without a network. */
class MemorySocket extends EventEmitter {
  readonly OPEN = 1;
  readyState = 1;
  readonly bufferedAmount = 0;
  sent: string[] = [];
  send(text: string): void {
    this.sent.push(text);
  }
  ping(): void {
    this.emit("pong");
  }
  close(): void {
    if (this.readyState !== this.OPEN) return;
    this.readyState = 3;
    this.emit("close");
  }
  terminate(): void {
    this.close();
  }
  /** Like `ws`, closes the socket for an oversized frame. */
  hear(text: string): void {
    const data = Buffer.from(text, "utf8");
    if (data.length <= MAX_FRAME_BYTES && this.readyState === this.OPEN) this.emit("message", data, false);
  }
}

function exchange() {
  const lines: string[] = [];
  const log = pino({ level: "info" }, { write: (line: string) => void lines.push(line) });
  const [media, network] = [new ScriptedMediaSource(), new ScriptedNetwork()];
  const callerIds = new CallerIds("+12025550143", [new Uint8Array(32)]);
  const calls = createCalls({
    node: "a",
    media,
    network,
    callerIds,
    log,
    emit: () => undefined,
    maxCalls: 50,
    maxCallsPerAccount: 4,
  });
  const sessions = new VoiceSessions("a");
  const handlers = callRequestHandlers({ calls, connectionId: "1", log });
  const limitedLog = new RateLimitedLog(log);
  function connect(account: string): MemorySocket {
    const socket = new MemorySocket();
    void new VertoConnection(socket as unknown as WebSocket, null, {
      ...{ sessions, handlers, maxSocketsPerAccount: 8, signIn: () => true, keepAlive: DEFAULT_KEEP_ALIVE, log, limitedLog },
      verifyToken: async (token) =>
        token === "token"
          ? {
              credentialId: account,
              accountId: account,
              sessionMark: account,
              username: account,
              tokenExpiresAt: new Date(Date.now() + 3_600_000),
            }
          : null,
    });
    return socket;
  }
  /** Ends an account's calls and sessions, like the grace period. */
  function forget(account: string): void {
    for (const leg of calls.activeLegs()) if (leg.username === account) calls.find(leg.controlId)?.call?.callerHungUp();
    for (const session of sessions.ofCredential(account)) sessions.forget(session);
    network.calls.length = 0;
    media.legs.length = 0;
  }
  return { calls, network, lines, connect, forget };
}

type Fuzzed = ReturnType<typeof exchange>;
type State = (fuzzed: Fuzzed, socket: MemorySocket) => Promise<void>;

async function say(socket: MemorySocket, ...frames: readonly object[]): Promise<void> {
  for (const frame of frames) socket.hear(JSON.stringify(frame));
  await setImmediate();
}

async function route(fuzzed: Fuzzed, socket: MemorySocket): Promise<void> {
  await say(socket, LOGIN, VERTO_FRAMES.invite);
  const { calls } = fuzzed;
  const parked = calls.activeLegs().find((leg) => leg.state === "parked");
  calls.find(parked?.controlId ?? "")?.call?.transfer({
    ...{ to: parked?.to ?? "", timeLimitSecs: 600, ringTimeoutSecs: 60, earlyMedia: true, headers: {} },
  });
  await setImmediate();
}

/** The state of the socket before the hostile frames. */
const STATES: Readonly<Record<string, State>> = {
  "not signed in": async () => undefined,
  "signed in": async (_fuzzed, socket) => say(socket, LOGIN),
  parked: async (_fuzzed, socket) => say(socket, LOGIN, VERTO_FRAMES.invite),
  ringing: async (fuzzed, socket) => {
    await route(fuzzed, socket);
    fuzzed.network.last.progress("far-sdp");
  },
  answered: async (fuzzed, socket) => {
    await route(fuzzed, socket);
    fuzzed.network.last.answer();
    await setImmediate();
  },
  "on hold": async (fuzzed, socket) => {
    await STATES["answered"]?.(fuzzed, socket);
    await say(socket, VERTO_FRAMES.hold);
  },
  over: async (fuzzed, socket) => {
    await STATES["answered"]?.(fuzzed, socket);
    await say(socket, VERTO_FRAMES.bye);
  },
};

/** @returns the bytes received and sent */
async function attack(socket: MemorySocket, frames: Iterator<string>): Promise<{ heard: number; sent: number }> {
  socket.sent = [];
  let heard = 0;
  for (let count = 0; count < FRAMES_A_SOCKET; count += 1) {
    const { value, done } = frames.next();
    if (done === true) break;
    heard += value.length;
    handle(value, () => socket.hear(value));
    await setImmediate();
  }
  return { heard, sent: socket.sent.reduce((sum, text) => sum + text.length, 0) };
}

describe(`hostile frames of a socket (seed ${SEED})`, { timeout: FUZZ_TIMEOUT_MS }, () => {
  it("in any state of a call do not end the exchange, amplify, flood the log or disturb another call", async () => {
    const uncaught = new Uncaught();
    const fuzzed = exchange();
    const honest = fuzzed.connect("honest");
    await STATES["answered"]?.(fuzzed, honest);
    const far = fuzzed.network.last;
    const before = usedHeap();
    const began = performance.now();
    const frames = inputs(mutatedJson([LOGIN, ...Object.values(VERTO_FRAMES)]), inputsOf(24));
    for (let socketCount = 0, left = true; left; socketCount += 1) {
      const [name = "", state] = Object.entries(STATES)[socketCount % Object.keys(STATES).length] ?? [];
      const account = `account ${socketCount}`;
      const socket = fuzzed.connect(account);
      await state?.(fuzzed, socket);
      const { heard, sent } = await attack(socket, frames);
      left = heard > 0;
      if (name === "not signed in") expect(sent).toBeLessThan(heard + FRAMES_A_SOCKET * MAX_EXTRA_BYTES);
      socket.close();
      fuzzed.forget(account);
      honest.sent = [];
      honest.ping(); // or the silent socket would be closed after 45 s
    }
    const seconds = (performance.now() - began) / 1_000;
    expect(fuzzed.lines.length).toBeLessThan(KINDS * (LINES_AT_ONCE + seconds * LINES_A_SECOND));
    await expect.poll(() => fuzzed.calls.liveCalls).toBe(1);
    expect(usedHeap() - before).toBeLessThan(MAX_GROWTH_BYTES);
    expect(far.ended).toBe(false);
    await say(honest, VERTO_FRAMES.digits, VERTO_FRAMES.bye);
    expect(honest.sent.join()).toContain("SENT");
    await expect.poll(() => fuzzed.calls.liveCalls).toBe(0);
    expect(far.ended).toBe(true);
    honest.close();
    expect(uncaught.errors).toEqual([]);
    uncaught.stop();
  });
});
