import { countSignIn, readSignIns } from "./robot-check.store.ts";
import type { Context } from "../../context.ts";

const WINDOW_MS = 10 * 60 * 1000;
/** An attack has at least this many wrong passwords in the window, and this share of all attempts. */
const FAILURES = 100;
const SHARE = 0.5;

/** Counts of the last ten minutes. */
export interface SignInCounts {
  readonly tries: number;
  readonly failures: number;
  /** Credential stuffing: leaked passwords are being tried on many accounts. */
  readonly attack: boolean;
}

/**
 * Detects attacks across accounts that stay below the limits of any single account or network. Counts in the database, one
 * row a minute, so that all instances share it and restarts lose nothing.
 */
export interface AttackDetector {
  /** Counts a checked password. */
  count(failed: boolean): Promise<void>;
  read(): Promise<SignInCounts>;
}

/** The limits' scale multiplies the number of failures; 0 turns the detection off. */
export function attackDetector({ handle, clock, config }: Context): AttackDetector {
  const scale = config.limitsScale;
  const failuresAllowed = Math.max(1, Math.round(FAILURES * scale));
  return {
    async count(failed) {
      if (scale !== 0) await countSignIn(handle.db, clock.now(), failed);
    },
    async read() {
      if (scale === 0) return { tries: 0, failures: 0, attack: false };
      const { tries, failures } = await readSignIns(handle.db, new Date(clock.now().getTime() - WINDOW_MS));
      return { tries, failures, attack: failures >= failuresAllowed && failures > tries * SHARE };
    },
  };
}
