import { examineDatabase } from "@farline/server/platform/database/examine-database.ts";
import { fault, ok, reasonOf, warning, type Finding } from "../finding.ts";

/** Links and tokens expire by both clocks, so they must agree. */
const MAX_SKEW_MS = 2_000;

/** Whether the database answers, has this version's schema, and agrees with this machine's clock. */
export async function checkDatabase(databaseUrl: string): Promise<Finding[]> {
  let state: Awaited<ReturnType<typeof examineDatabase>>;
  try {
    state = await examineDatabase(databaseUrl);
  } catch (error) {
    return [fault(`The database does not answer: ${reasonOf(error)}.`)];
  }
  return [checkSchema(state), checkClock(state.clockSkewMs)];
}

function checkSchema({ applied, newest }: { applied: number; newest: number }): Finding {
  if (applied === newest) return ok(`The database answers and has all migrations (${applied}).`);
  if (applied > newest)
    return warning(`The database has migration ${applied}, this version only ${newest}: a newer release runs on it.`);
  return fault(`The database has migration ${applied}, this version needs ${newest}: the service applies them when it starts.`);
}

function checkClock(skewMs: number): Finding {
  if (Math.abs(skewMs) <= MAX_SKEW_MS) return ok("This machine and the database have the same time.");
  const seconds = Math.round(Math.abs(skewMs) / 1000);
  return fault(
    `This machine's clock is ${seconds} seconds ${skewMs > 0 ? "ahead of" : "behind"} the database's: run a time service on both.`,
  );
}
