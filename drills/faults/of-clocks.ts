import { AWAY, AWAY_MS, type Fault } from "../support/fault-table.ts";
import type { ShiftedClocks } from "../support/shifted-clocks.ts";

const MINUTES = 5;

/** A clock that jumps, and jumps back; the other programs' and the database's clocks are right. */
export function faultsOfClocks(clocks: ShiftedClocks | null): Fault[] {
  if (clocks === null) return [];
  return (["service", "exchange"] as const).flatMap((program) =>
    [MINUTES, -MINUTES].map((minutes) => ({
      name: `${program}'s clock ${MINUTES} minutes ${minutes > 0 ? "ahead" : "behind"} for ${AWAY}`,
      survives: false,
      lastsMs: AWAY_MS,
      async strike() {
        clocks.shift(program, minutes);
        return () => clocks.shift(program, 0);
      },
    })),
  );
}
