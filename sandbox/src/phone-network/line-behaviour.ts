import type { Quirks } from "./carrier-quirks.ts";

/** What a line that answers plays. */
export type Programme = "greeting-then-echo" | "echo" | "tone" | "silence";

export interface Answer {
  kind: "answer";
  play: Programme;
  /** Hangs up by itself after this long. */
  hangUpAfterMs?: number;
  /** Loses a tenth of its packets and delays the others unevenly. */
  poorLine?: boolean;
}

interface Refusal {
  kind: "refuse";
  status: number;
  reason: string;
  headers?: Readonly<Record<string, readonly string[]>>;
}

/** How a line takes a call. */
export interface LineBehaviour {
  /** Delay before ringing starts. */
  setupMs?: number;
  /** How ringing is signalled: 183 with ringback as early media, 180 alone, or not at all. */
  ringing: "early-media" | "signal-only" | "none";
  /** "usual" is the network's setting; "forever" lasts until the caller gives up. */
  ringMs: number | "usual" | "forever";
  outcome: Answer | Refusal | { kind: "no-reply" };
  quirks?: Quirks;
}

export interface TestNumber {
  /** E.164. */
  number: string;
  title: string;
  description: string;
  behaviour: LineBehaviour;
}
