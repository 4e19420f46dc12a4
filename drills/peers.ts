import { execFile } from "node:child_process";
import { setTimeout as pause } from "node:timers/promises";
import { promisify } from "node:util";
import { openPlane } from "@farline/voice/test/media-harness.ts";
import { CALLER_HERTZ, type PhoneCall } from "@farline/voice/test/phones/phone-call.ts";
import { sdp, type Step } from "@farline/voice/test/scenarios/carrier-script.ts";
import { SipBench, trunkTo } from "@farline/voice/test/sip-bench.ts";
import {
  baresip,
  callAfterRegistrarDied,
  FIVE_HERTZ,
  linphone,
  OUR_BYE,
  type Peer,
  type PeerCall,
  playToSipp,
  type Route,
} from "./support/peer-phones.ts";
import { becomes, until } from "./support/readiness.ts";
import { atTheEnd, runDrill, say } from "./support/run-drill.ts";

/**
 * A drill: calls phones and proxies that nobody here wrote, over each transport, and prints what was right. Exits with 2 if anything
 * was wrong. Packages of Debian: baresip-core, linphone-cli, kamailio, kamailio-tls-modules, sip-tester and sipsak.
 */
const AT_ONCE = 3;
/** Long enough for a refusal to arrive, or for sound that should not be there. */
const HOLD_MS = 3_000;
const QUIET_WITHIN_MS = 5_000;
const QUIET = 50;
const PROGRAMS: Readonly<Record<string, readonly string[]>> = {
  baresip: ["baresip", "-h"],
  linphone: ["linphonec", "--version"],
  Kamailio: ["/usr/sbin/kamailio", "-v"],
  SIPp: ["sipp", "-v"],
  sipsak: ["sipsak", "-V"],
};

type Case = (peer: Peer) => Promise<void>;
interface Result {
  readonly peer: string;
  readonly name: string;
  /** Null if it was right. */
  readonly wrong: string | null;
}

const phoneCases: Readonly<Record<string, Case>> = {
  "both hear each other, the caller hangs up": (peer) =>
    talk(peer, async ({ call }) => {
      await call.hangUp();
      expectEnd(await call.end(), "normal_clearing", "caller");
    }),
  "the phone hangs up": (peer) =>
    talk(peer, async ({ call, phone }) => {
      await phone.hangUp();
      expectEnd(await call.end(), "normal_clearing", "callee");
    }),
  "the caller gives up while it rings": (peer) =>
    ring(peer, async ({ call }) => {
      await call.hangUp();
      expectEnd(await call.end(), "originator_cancel", "caller");
    }),
  "the phone declines": (peer) =>
    ring(peer, async ({ call, phone }) => {
      await phone.hangUp();
      expectEnd(await call.end(), /^(user_busy|call_rejected)$/, "callee");
    }),
  "hold and resume": (peer) =>
    talk(peer, async (called) => {
      const { call, phone } = called;
      await phone.hold();
      if (phone.hasMusic) await pause(HOLD_MS);
      else await untilQuiet(call);
      await phone.resume();
      await untilHeard(called);
    }),
  "REFER is refused": (peer) =>
    talk(peer, async (called) => {
      const { call, phone } = called;
      await phone.refer();
      if (phone.leavesIfRefused) return expectEnd(await call.end(), "normal_clearing", "callee");
      await pause(HOLD_MS);
      await untilHeard(called);
    }),
  "the phone hears the caller's keys": (peer) =>
    talk(peer, async (called) => {
      await called.call.sendDigits("1#9");
      await until("keys 1#9", () => called.phone.digits === "1#9").catch(() => {
        throw new Error(`The phone heard the keys "${called.phone.digits}".`);
      });
      await untilHeard(called);
    }),
  "the caller hears the phone's key": (peer) =>
    talk(peer, async (called) => {
      await called.phone.pressFive();
      await until("tone of the key 5", () => called.call.heardChord(FIVE_HERTZ));
      await untilHeard(called);
    }),
};

const TALK: Step = { pauseMs: 1_500 };
const routed = (method: string, cseq: number, body?: readonly string[]): Step => ({
  send: method,
  cseq,
  headers: ["[routes]"],
  ...(body === undefined ? {} : { sdp: body }),
});
const at = (direction: string): readonly string[] => sdp(["m=audio [media_port] RTP/AVP 0", `a=${direction}`]);
const reinvite = (cseq: number, direction: string): readonly Step[] => [
  routed("INVITE", cseq, at(direction)),
  { answered: 200 },
  routed("ACK", cseq),
  TALK,
];
const scriptedCases: Readonly<Record<string, readonly Step[]>> = {
  "the caller hangs up": [TALK, ...OUR_BYE],
  "the carrier hangs up": [TALK, routed("BYE", 1), { answered: 200 }],
  "re-INVITE: hold, resume": [
    TALK,
    ...reinvite(1, "sendonly"),
    ...reinvite(2, "inactive"),
    ...reinvite(3, "sendrecv"),
    ...OUR_BYE,
  ],
  "UPDATE with and without SDP": [
    TALK,
    ...[routed("UPDATE", 1), { answered: 200 }, routed("UPDATE", 2, at("sendrecv")), { answered: 200 }, TALK],
    ...OUR_BYE,
  ],
  "REFER is refused": [
    TALK,
    { send: "REFER", cseq: 1, headers: ["[routes]", "Refer-To: <sip:+442079460999@127.0.0.1>"] },
    ...[{ answered: 405 }, TALK],
    ...OUR_BYE,
  ],
};

await runDrill(async () => {
  const versions = await findVersions();
  const media = await openPlane();
  atTheEnd(() => media.close());
  const routes: readonly Route[] = ["straight", "on its route", "off its route"];
  const phones = [
    ...routes.flatMap((route) => (["udp", "tcp", "tls"] as const).map((transport) => baresip(media, transport, route))),
  ];
  const delicate = (["udp", "tcp"] as const).map((transport) => linphone(media, transport));
  const [, , only = ""] = process.argv.slice(1);
  const callAll = (peer: Peer) =>
    tryAll(
      peer.name,
      Object.entries(phoneCases).map(([name, run]) => [name, () => run(peer)]),
    );
  const jobs = [
    ...phones.map((peer) => () => callAll(peer)),
    ...routes.flatMap((route) =>
      (["udp", "tcp"] as const).map((transport) => () => {
        const place = `SIPp, ${transport}${route === "straight" ? "" : `, Kamailio ${route}`}`;
        return tryAll(
          place,
          Object.entries(scriptedCases).map(([name, steps]) => [name, () => playToSipp(steps, { media, transport, route })]),
        );
      }),
    ),
    () => tryAll("Kamailio, two registrars", [["a call after the first one died", () => callAfterRegistrarDied(media)]]),
    () =>
      tryAll(
        "sipsak",
        (["udp", "tcp"] as const).map((transport) => [`OPTIONS over ${transport}`, () => ping(transport)]),
      ),
  ];
  const results: Result[] = [];
  // Alone: its sound suffers from others.
  for (const peer of delicate) results.push(...(await callAll(peer)));
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (let job = jobs.shift(); job !== undefined; job = jobs.shift()) results.push(...(await job()));
    }),
  );
  say(`${tableOf(results)}\n${versions}`);
  const wrong = results.filter((one) => one.wrong !== null);
  for (const one of wrong) say(`WRONG: ${one.peer}: ${one.name}: ${one.wrong}`);
  say(`${results.length - wrong.length} right, ${wrong.length} wrong`);
  return wrong.length === 0;

  async function tryAll(peer: string, cases: readonly (readonly [string, () => Promise<void>])[]): Promise<Result[]> {
    const found: Result[] = [];
    for (const [name, run] of cases) {
      if (!`${peer}: ${name}`.includes(only)) continue;
      const wrong = await run().then(
        () => null,
        (error: unknown) => String((error as Error).message).split("\n", 1)[0] ?? "",
      );
      found.push({ peer, name, wrong });
    }
    return found;
  }
});

async function talk(peer: Peer, then: (called: PeerCall) => Promise<void>): Promise<void> {
  const called = await peer.call("auto");
  try {
    await called.call.answered();
    await untilHeard(called);
    await then(called);
  } finally {
    await called.call.close();
  }
}

async function ring(peer: Peer, then: (called: PeerCall) => Promise<void>): Promise<void> {
  const called = await peer.call("manual");
  try {
    await called.phone.untilRinging();
    await then(called);
  } finally {
    await called.call.close();
  }
}

/** From now on. */
function untilHeard({ call, phone }: PeerCall): Promise<void> {
  call.browser.heard.clear();
  return until(`tone of ${CALLER_HERTZ} Hz in both directions`, () => phone.isHeard(call));
}

async function untilQuiet(call: PhoneCall): Promise<void> {
  await until("silence on hold", async () => (await call.loudnessNow()) < QUIET, QUIET_WITHIN_MS);
  if (await becomes(async () => (await call.loudnessNow()) > QUIET, HOLD_MS)) throw new Error("There was sound on hold.");
}

function expectEnd(end: Record<string, unknown>, cause: string | RegExp, source: string): void {
  const { hangup_cause: found, hangup_source: by } = end;
  const matches = typeof cause === "string" ? found === cause : cause.test(String(found));
  if (!matches || by !== source) throw new Error(`It ended with ${String(found)} by ${String(by)}.`);
}

/** Asks the exchange as a trunk's address. */
async function ping(transport: "udp" | "tcp"): Promise<void> {
  const bench = new SipBench();
  try {
    const { port } = await bench.trunks([trunkTo(9, { transport })]);
    await promisify(execFile)("sipsak", ["-E", transport, "-s", `sip:exchange@127.0.0.1:${port}`], { timeout: 10_000 });
  } finally {
    await bench.end();
  }
}

/** @throws Error if a program is missing */
async function findVersions(): Promise<string> {
  const found = Object.entries(PROGRAMS).map(async ([name, [program = "", ...args]]) => {
    const said = await promisify(execFile)(program, args).catch((error: { stdout?: string; stderr?: string; code?: unknown }) => {
      if (error.code === "ENOENT") throw new Error(`${name} is not installed.`);
      return { stdout: error.stdout ?? "", stderr: error.stderr ?? "" };
    });
    return `${name} ${/\d+\.\d+(\.\d+)*/.exec(`${said.stdout}${said.stderr}`)?.[0] ?? "?"}`;
  });
  return (await Promise.all(found)).join(", ");
}

function tableOf(results: readonly Result[]): string {
  const sorted = results.toSorted((one, other) => one.peer.localeCompare(other.peer));
  return sorted.map(({ peer, name, wrong }) => `${wrong === null ? "right" : "WRONG"}  ${peer.padEnd(44)}  ${name}`).join("\n");
}
