import { type DatabaseState, examineDatabase } from "@farline/server/platform/database/examine-database.ts";
import { fault, ok, reasonOf, warning, type Finding } from "../findings.ts";

/** Links and tokens expire by both clocks, so they must agree. */
const MAX_SKEW_MS = 2_000;

/** Whether the database answers, has this version's schema, agrees with this machine's clock, and keeps and finds what it is given. */
export async function checkDatabase(databaseUrl: string): Promise<Finding[]> {
  let state: DatabaseState;
  try {
    state = await examineDatabase(databaseUrl);
  } catch (error) {
    return [fault(`The database does not answer: ${reasonOf(error)}.`)];
  }
  return [
    checkSchema(state),
    checkClock(state.clockSkewMs),
    ...(state.unfit === null ? [] : [fault(`The service refuses this database. ${state.unfit}`)]),
    ...(state.losesCommits ? [fault(LOSES_COMMITS)] : []),
    ...checkCollations(state),
    ...(state.invalidIndexes.length === 0
      ? []
      : [fault(`Building these indexes failed: ${state.invalidIndexes.join(", ")}. Run REINDEX INDEX CONCURRENTLY for each.`)]),
  ];
}

const LOSES_COMMITS =
  "synchronous_commit is off: a crash of the database loses payments and charges of its last moments. Reset it for the role, the database and the server.";

/** Text is found by its order, so an index in yesterday's order can miss rows and let duplicates in. */
function checkCollations({ collation, staleIndexes }: DatabaseState): Finding[] {
  if (collation === null && staleIndexes.length === 0) return [];
  const versions = collation === null ? "" : ` (version ${collation.recorded} is recorded, ${collation.actual} is installed)`;
  const which = staleIndexes.length === 0 ? "" : ` These indexes may miss rows: ${staleIndexes.join(", ")}.`;
  const todo =
    "Run REINDEX DATABASE CONCURRENTLY, then ALTER DATABASE … REFRESH COLLATION VERSION and, for collations of their own, ALTER COLLATION … REFRESH VERSION.";
  return [fault(`The order of text has changed since indexes were built${versions}.${which} ${todo}`)];
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
