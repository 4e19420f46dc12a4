import type { FaultProxy, NetworkFault } from "@farline/server/test/fakes/fault-proxy.ts";
import { AWAY, AWAY_MS, type Fault } from "../support/fault-table.ts";
import type { ServedDatabase } from "../support/served-database.ts";

const LOST_ANSWERS = 10;
const LOST_ANSWERS_OF_CALLS = 3;

/** A database that is away, hangs or takes no writes, and a way to it that loses answers. */
export function faultsOfDatabase(database: ServedDatabase, proxy: FaultProxy): Fault[] {
  const away = (name: string, fault: NetworkFault): Fault => ({
    name: `${name} for ${AWAY}`,
    survives: false,
    lastsMs: AWAY_MS,
    async strike() {
      await proxy.setFault(fault);
      return () => proxy.setFault("none");
    },
  });
  const lost = (name: string, times: number, after: string): Fault => ({
    name: `answers to ${times} ${name} lost`,
    survives: false,
    lastsMs: 0,
    async strike() {
      for (let count = 0; count < times; count++) await proxy.loseAnswerTo("commit", after);
      return () => {};
    },
  });
  const set = (name: string, setting: string, value: string): Fault => ({
    name: `${name} for ${AWAY}`,
    survives: false,
    lastsMs: AWAY_MS,
    async strike() {
      await database.set(setting, value);
      return () => database.set(setting, null);
    },
  });
  return [
    away("database does not answer", "blackhole"),
    away("database refuses connections", "refuse"),
    away("database resets connections", "reset"),
    lost("commits", LOST_ANSWERS, ""),
    lost("authorisations of calls", LOST_ANSWERS_OF_CALLS, "hold_each"),
    lost("settlements of calls", LOST_ANSWERS_OF_CALLS, "resolve_each"),
    set("commits hang", "synchronous_standby_names", "nobody"),
    set("database takes no writes", "default_transaction_read_only", "on"),
    {
      name: "database killed",
      survives: false,
      lastsMs: 0,
      async strike() {
        await database.kill();
        return () => database.serve();
      },
    },
    {
      name: `database hangs for ${AWAY}`,
      survives: false,
      lastsMs: AWAY_MS,
      async strike() {
        database.signal("SIGSTOP");
        return () => database.signal("SIGCONT");
      },
    },
    ...(database.hasOwnDisk ? [fullDisk(database)] : []),
  ];
}

function fullDisk(database: ServedDatabase): Fault {
  return {
    name: `database's disk full for ${AWAY}`,
    survives: false,
    lastsMs: AWAY_MS,
    async strike() {
      database.fillDisk();
      return () => {
        database.clearDisk();
        return database.serve();
      };
    },
  };
}
