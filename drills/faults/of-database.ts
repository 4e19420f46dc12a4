import type { FaultProxy, NetworkFault } from "@farline/server/test/fakes/fault-proxy.ts";
import { readRows } from "../support/database.ts";
import { type Fault, passing, untilSeen } from "../support/fault-table.ts";
import pg from "pg";
import type { ServedDatabase } from "../support/served-database.ts";
import type { SmallDisk } from "../support/small-disk.ts";

/** The trouble of a database that cannot be used. */
const DATABASE = "farline_part_up database";
const LOST_ANSWERS = 10;
const LOST_ANSWERS_OF_CALLS = 3;

/** A database that is away, hangs or takes no writes, and a way to it that loses answers. */
export function faultsOfDatabase(database: ServedDatabase, proxy: FaultProxy): Fault[] {
  const away = (name: string, fault: NetworkFault): Fault =>
    passing(name, async () => {
      await proxy.setFault(fault);
      return () => proxy.setFault("none");
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
  const set = (name: string, setting: string, value: string): Fault =>
    passing(name, async () => {
      await database.set(setting, value);
      return () => database.set(setting, null);
    });
  return [
    away("database does not answer", "blackhole"),
    away("database refuses connections", "refuse"),
    away("database resets connections", "reset"),
    lost("commits", LOST_ANSWERS, ""),
    lost("authorisations of calls", LOST_ANSWERS_OF_CALLS, "hold_each"),
    lost("settlements of calls", LOST_ANSWERS_OF_CALLS, "resolve_each"),
    set("commits hang", "synchronous_standby_names", "nobody"),
    { ...set("database takes no writes", "default_transaction_read_only", "on"), seen: DATABASE },
    {
      name: "database killed",
      survives: false,
      lastsMs: 0,
      async strike() {
        await database.kill();
        return () => database.serve();
      },
    },
    passing("database hangs", async () => {
      database.signal("SIGSTOP");
      return () => database.signal("SIGCONT");
    }),
    ...(database.disk === null ? [] : [fullDisk(database, database.disk)]),
    held(database),
    usedUp(database),
    closedIntake(database),
  ];
}

function fullDisk(database: ServedDatabase, disk: SmallDisk): Fault {
  return passing("database's disk full", async () => {
    disk.fill();
    return () => {
      disk.clear();
      return database.serve();
    };
  });
}

/** A person who looks at accounts and goes for lunch. */
function held(database: ServedDatabase): Fault {
  return untilSeen("person's lock on accounts", "farline_lock_held_seconds", async () => {
    const person = await connect(database, "psql");
    await person.query("begin; lock table account");
    return () => person.end();
  });
}

/** Another program that takes every connection. */
function usedUp(database: ServedDatabase): Fault {
  return untilSeen("connections used up", "farline_database_connections_percent", async () => {
    const taken: pg.Client[] = [];
    for (;;) {
      const one = await connect(database, "report").catch(() => null);
      if (one === null) break;
      taken.push(one);
    }
    return () => Promise.all(taken.map((one) => one.end()));
  });
}

/** As after a restore that nobody has finished. */
function closedIntake(database: ServedDatabase): Fault {
  return untilSeen("intake closed", "farline_part_up intake", async () => {
    await readRows(database.url, "insert into restore (id, began_at, known_until) values (gen_random_uuid(), now(), now())");
    return () => readRows(database.url, "update restore set opened_at = now() where opened_at is null");
  });
}

async function connect({ url }: ServedDatabase, name: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url, application_name: name });
  // The service cuts its own connections only, but a killed server cuts all.
  client.on("error", () => {});
  await client.connect();
  return client;
}
