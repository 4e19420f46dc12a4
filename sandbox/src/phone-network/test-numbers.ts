import { carrierNumbers } from "./carrier-numbers.ts";
import type { LineBehaviour, TestNumber } from "./line-behaviour.ts";

/**
 * Numbers with special behaviour, in +44 20 7946 0000–0999. Ofcom reserves this range for drama and never assigns it, yet these
 * are valid London numbers with a price. Any other number rings and echoes.
 */

export const TEST_TONE_HZ = 1000;

const BLOCK = "+4420794600";

/** The behaviour of every number that is not in the table. */
const ordinaryBehaviour: LineBehaviour = {
  ringing: "early-media",
  ringMs: "usual",
  outcome: { kind: "answer", play: "greeting-then-echo" },
};

const atOnce = { ringing: "none", ringMs: 0 } as const;

export const testNumbers: readonly TestNumber[] = [
  {
    number: `${BLOCK}00`,
    title: "Echo line",
    description:
      "Rings, answers with a greeting, then plays back what you say half a second later. Every other number does the same.",
    behaviour: ordinaryBehaviour,
  },
  {
    number: `${BLOCK}01`,
    title: "Test tone",
    description: "Answers at once with a steady tone of 1000 Hz.",
    behaviour: { ...atOnce, outcome: { kind: "answer", play: "tone" } },
  },
  {
    number: `${BLOCK}02`,
    title: "Echo, no greeting",
    description: "Answers at once and plays back what you say half a second later.",
    behaviour: { ...atOnce, outcome: { kind: "answer", play: "echo" } },
  },
  {
    number: `${BLOCK}03`,
    title: "Silent line",
    description: "Rings and answers, but sends no sound.",
    behaviour: { ...ordinaryBehaviour, outcome: { kind: "answer", play: "silence" } },
  },
  {
    number: `${BLOCK}04`,
    title: "Hangs up",
    description: "Rings, answers with the greeting, and hangs up by itself after 5 seconds.",
    behaviour: { ...ordinaryBehaviour, outcome: { kind: "answer", play: "greeting-then-echo", hangUpAfterMs: 5000 } },
  },
  {
    number: `${BLOCK}05`,
    title: "Slow network",
    description: "Silent for 6 seconds; then it rings and answers like the echo line.",
    behaviour: { ...ordinaryBehaviour, setupMs: 6000 },
  },
  {
    number: `${BLOCK}06`,
    title: "Rings without sound",
    description: "Signals ringing (180) without a ringing tone; then it answers like the echo line.",
    behaviour: { ...ordinaryBehaviour, ringing: "signal-only" },
  },
  {
    number: `${BLOCK}07`,
    title: "Answers without ringing",
    description: "Does not signal ringing; after the usual time it answers like the echo line.",
    behaviour: { ...ordinaryBehaviour, ringing: "none" },
  },
  {
    number: `${BLOCK}08`,
    title: "Poor line",
    description: "Like the echo line, but loses one packet in ten and has jitter.",
    behaviour: { ...ordinaryBehaviour, outcome: { kind: "answer", play: "greeting-then-echo", poorLine: true } },
  },
  {
    number: "+442079460404",
    title: "Number not in service",
    description: "Rejected at once: there is no such number (404).",
    behaviour: refuse(404, "Not Found"),
  },
  {
    number: "+442079460408",
    title: "Nobody answers",
    description: "Rings until you give up.",
    behaviour: { ...ordinaryBehaviour, ringMs: "forever" },
  },
  {
    number: "+442079460486",
    title: "Busy",
    description: "Rejected at once: the line is busy (486).",
    behaviour: refuse(486, "Busy Here"),
  },
  {
    number: "+442079460503",
    title: "Out of order",
    description: "Rejected at once: the network cannot connect the call (503).",
    behaviour: refuse(503, "Service Unavailable"),
  },
  {
    number: "+442079460504",
    title: "Network does not reply",
    description: "The network sends no response, as if it were unplugged.",
    behaviour: { ringing: "none", ringMs: 0, outcome: { kind: "no-reply" } },
  },
  {
    number: "+442079460603",
    title: "Call declined",
    description: "Rings, then the person declines the call (603).",
    behaviour: { ...ordinaryBehaviour, outcome: { kind: "refuse", status: 603, reason: "Decline" } },
  },
];

const byNumber = new Map([...testNumbers, ...carrierNumbers].map((entry) => [entry.number, entry.behaviour]));

/** The behaviour of a dialled number; null if it is not a telephone number. */
export function behaviourOf(number: string): LineBehaviour | null {
  return /^\+\d{3,18}$/.test(number) ? (byNumber.get(number) ?? ordinaryBehaviour) : null;
}

/** The dialled number in a request URI's user part, with a + and without visual separators. */
export function dialledNumber(user: string): string {
  const digits = user.replace(/[-. ()]/g, "");
  return digits.startsWith("+") ? digits : `+${digits}`;
}

function refuse(status: number, reason: string): LineBehaviour {
  return { ...atOnce, outcome: { kind: "refuse", status, reason } };
}
