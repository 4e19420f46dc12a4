import { setTimeout as pause } from "node:timers/promises";
import type { Product } from "@farline/e2e/support/product.ts";
import type { FaultProxy } from "@farline/server/test/fakes/fault-proxy.ts";
import { AWAY, AWAY_MS, type Fault } from "../support/fault-table.ts";
import { outcomeOf } from "../support/page-load.ts";
import { processOf } from "../support/processes.ts";
import { voicePortOf } from "../support/scripted-caller.ts";
import { until } from "../support/readiness.ts";
import type { SmallDisk } from "../support/small-disk.ts";

const KILLS = 4;
const KILLS_AT_A_COMMIT = 2;
const BETWEEN_KILLS_MS = 3_000;
const STARTED_WITHIN_MS = 60_000;

const SERVICE = "server/src/main.ts";
const EXCHANGE = "voice/src/main.ts";
const OUTSIDE = "sandbox/src/main.ts";

/** Programs that are killed, also in the middle of a call's booking, or hang. */
export function faultsOfProcesses(product: Product, proxy: FaultProxy, disk: SmallDisk | null): Fault[] {
  const kill = async (script: string) => process.kill(await processOf(product.pid, script), "SIGKILL");
  const killed = (name: string, script: string): Fault => ({
    name: `${name} killed ${KILLS} times`,
    survives: true,
    lastsMs: 0,
    async strike() {
      for (let count = 0; count < KILLS; count++) {
        await kill(script);
        await pause(BETWEEN_KILLS_MS);
      }
      return () => {};
    },
  });
  /** The commit is done, and the service never hears of it. */
  const killedAtCommit = (name: string, statement: string): Fault => ({
    name: `service killed as it ${name}, ${KILLS_AT_A_COMMIT} times`,
    survives: true,
    lastsMs: 0,
    async strike() {
      for (let count = 0; count < KILLS_AT_A_COMMIT; count++) {
        await proxy.loseAnswerTo("commit", statement);
        await kill(SERVICE);
        await pause(BETWEEN_KILLS_MS);
      }
      return () => {};
    },
  });
  const hangs = (name: string, script: string): Fault => ({
    name: `${name} for ${AWAY}`,
    survives: false,
    lastsMs: AWAY_MS,
    async strike() {
      const pid = await processOf(product.pid, script);
      process.kill(pid, "SIGSTOP");
      return () => process.kill(pid, "SIGCONT");
    },
  });
  return [
    killed("service", SERVICE),
    killed("exchange", EXCHANGE),
    killed("media process", "media-process.ts"),
    {
      name: "media process stopped until it is seen",
      ...{ survives: false, lastsMs: 0, seen: "farline_node_media_replaced a" },
      async strike() {
        process.kill(await processOf(product.pid, "media-process.ts"), "SIGSTOP");
        return () => {};
      },
    },
    ...(disk === null ? [] : [fullDisk(product, disk)]),
    killed("payment provider and carrier", OUTSIDE),
    // More than a minute after the service's first kills, or its supervisor would give up.
    killedAtCommit("authorises a call", "hold_each"),
    killedAtCommit("settles a call", "resolve_each"),
    hangs("service hangs", SERVICE),
    hangs("exchange hangs", EXCHANGE),
    hangs("payment provider, carrier and mail server hang", OUTSIDE),
  ];
}

/** Killed while the disk is full, it must start nevertheless. */
function fullDisk(product: Product, disk: SmallDisk): Fault {
  return {
    name: "exchange's disk full until it is seen, then killed",
    ...{ survives: false, lastsMs: 0, seen: "farline_node_journal_written a" },
    async strike() {
      disk.fill();
      return async () => {
        process.kill(await processOf(product.pid, EXCHANGE), "SIGKILL");
        await pause(BETWEEN_KILLS_MS);
        await exchangeIsReady(product);
        disk.clear();
      };
    },
  };
}

export async function exchangeIsReady(product: Product): Promise<void> {
  const url = `http://127.0.0.1:${voicePortOf(product)}/readyz`;
  await until("exchange that is ready", async () => (await outcomeOf(url)) === "200", STARTED_WITHIN_MS);
}
