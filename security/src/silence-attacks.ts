import { PATIENCE_MS } from "@farline/domain/test/patience.ts";
import { becomes } from "@farline/drills/support/readiness.ts";
import { setTimeout as pause } from "node:timers/promises";
import { type Attacker, base64, type Line } from "./attacker.ts";
import type { ConnectedCall, Attack, AttackRun } from "./attack.ts";

const KIND = "keep a silent call up without paying";
/** The exchange ends a call 45 s after the caller's audio stopped, or 30 s after the called party's did. */
const LIMITS_MS = { vanished: 45_000, calledSide: 30_000 };
const FRAME = Buffer.alloc(160, 0xff);
const FRAME_MS = 20;
/** Of the phone network's lines, the one that answers and sends nothing. */
const SILENT_LINE = "+442079460003";

async function cut(run: AttackRun, { number }: Pick<ConnectedCall, "number">, afterMs: number): Promise<void> {
  const isOver = () => run.installation.sandbox.network.calls({ number }).every((call) => call.state === "ended");
  run.check("the call is ended", await becomes(isOver, afterMs + PATIENCE_MS));
}

/** The comparison of the network's calls with the ledger finds any unpaid time. */
export const silenceAttacks: readonly Attack[] = [
  {
    kind: KIND,
    name: "never sending any audio",
    async execute(run) {
      const { line, number, clientState } = await unheardCall(run, run.attacker);
      await line.outcome(await line.inviteSilently(number, { clientState }));
    },
  },
  {
    kind: KIND,
    name: "connecting without a microphone",
    async execute(run) {
      const { line, number, clientState } = await unheardCall(run, run.attacker);
      await line.outcome(await line.inviteWithoutMicrophone(number, { clientState }));
    },
  },
  {
    kind: KIND,
    name: "saying that the microphone is open, without connecting",
    async execute(run) {
      const { line, number, clientState } = await unheardCall(run, run.attacker);
      const callID = await line.inviteSilently(number, { clientState });
      await line.claimMicrophone(callID);
      await line.outcome(callID);
    },
  },
  {
    kind: KIND,
    name: "saying that another customer's microphone is open",
    async execute(run) {
      const { line, number, clientState } = await unheardCall(run, run.victim);
      const callID = await line.inviteWithoutMicrophone(number, { clientState });
      await (await run.attacker.line()).claimMicrophone(callID);
      await line.outcome(callID);
    },
  },
  {
    kind: KIND,
    name: "talking, then hanging up as if there had been no microphone",
    async execute(run) {
      const { line, callID } = await run.connect();
      await line.bye(callID, "MEDIA_TIMEOUT");
    },
  },
];

/** A call that is authorised, and that the phone network must never see. */
async function unheardCall(run: AttackRun, caller: Attacker): Promise<{ line: Line; number: string; clientState: string }> {
  const started = await caller.authorise(run.paid());
  run.unpaidNumbers.push(started.call.destination_number);
  return { line: await caller.line(), number: started.call.destination_number, clientState: base64(started.ticket) };
}

/** They take as long as the exchange waits, so only at full size. */
export const longSilenceAttacks: readonly Attack[] = [
  {
    kind: KIND,
    name: "speaking, then disappearing without hanging up",
    async execute(run) {
      const call = await run.connect();
      const browser = call.line.browserOf(call.callID);
      for (let frames = 0; frames < 100; frames += 1) {
        await browser.send(FRAME);
        await pause(FRAME_MS);
      }
      browser.handOver();
      await cut(run, call, LIMITS_MS.vanished);
    },
  },
  {
    kind: KIND,
    name: "speaking to an accomplice who sends nothing",
    async execute(run) {
      const call = await run.connect({ number: SILENT_LINE });
      const browser = call.line.browserOf(call.callID);
      const speech = setInterval(() => void browser.send(FRAME).catch(() => undefined), FRAME_MS);
      await cut(run, call, LIMITS_MS.calledSide);
      clearInterval(speech);
    },
  },
];
