import { setTimeout as pause } from "node:timers/promises";
import type { Product } from "@farline/e2e/support/product.ts";
import type { FaultProxy } from "@farline/server/test/fakes/fault-proxy.ts";
import { type Fault, passing, untilSeen } from "../support/fault-table.ts";
import { processOf, SCRIPTS } from "../support/processes.ts";
import { voicePortOf } from "../support/scripted-caller.ts";
import { untilGood } from "../support/readiness.ts";
import type { SmallDisk } from "../support/small-disk.ts";

const KILLS = 4;
const KILLS_AT_A_COMMIT = 2;
const BETWEEN_KILLS_MS = 3_000;

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
        await kill(SCRIPTS.service);
        await pause(BETWEEN_KILLS_MS);
      }
      return () => {};
    },
  });
  const hangs = (name: string, script: string): Fault =>
    passing(name, async () => {
      const pid = await processOf(product.pid, script);
      process.kill(pid, "SIGSTOP");
      return () => process.kill(pid, "SIGCONT");
    });
  return [
    killed("service", SCRIPTS.service),
    killed("exchange", SCRIPTS.exchange),
    killed("media process", SCRIPTS["media process"]),
    untilSeen("media process stopped", "farline_node_media_replaced a", async () => {
      process.kill(await processOf(product.pid, SCRIPTS["media process"]), "SIGSTOP");
      return () => {};
    }),
    ...(disk === null ? [] : [fullDisk(product, disk)]),
    killed("payment provider and carrier", SCRIPTS.outside),
    // More than a minute after the service's first kills, or its supervisor would give up.
    killedAtCommit("authorises a call", "hold_each"),
    killedAtCommit("settles a call", "resolve_each"),
    hangs("service hangs", SCRIPTS.service),
    hangs("exchange hangs", SCRIPTS.exchange),
    hangs("payment provider, carrier and mail server hang", SCRIPTS.outside),
  ];
}

/** Killed while the disk is full, it must start nevertheless. */
function fullDisk(product: Product, disk: SmallDisk): Fault {
  const fault = untilSeen("exchange's disk full", "farline_node_journal_written a", async () => {
    disk.fill();
    return async () => {
      process.kill(await processOf(product.pid, SCRIPTS.exchange), "SIGKILL");
      await pause(BETWEEN_KILLS_MS);
      await exchangeIsReady(product);
      disk.clear();
    };
  });
  return { ...fault, name: `${fault.name}, then killed` };
}

export function exchangeIsReady(product: Product): Promise<void> {
  return untilGood(`http://127.0.0.1:${voicePortOf(product)}/readyz`);
}
