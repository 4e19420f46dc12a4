import { join } from "node:path";
import { withDatabasePassword } from "@farline/contract/settings/database-password.ts";
import { LocalPostgresError, startLocalPostgres, type LocalPostgres } from "@farline/server/platform/database/local-postgres.ts";
import { DataDirectoryError, openDataDirectory, type DataDirectory } from "./data-directory.ts";
import { ENV_FILE, envFileWarnings } from "./env-file.ts";
import { refuseStrangerOnLoopback, waitForFreePorts } from "./free-ports.ts";
import { lanInvitation, openLanDoor } from "./lan-door.ts";
import { KeptLog, logLine } from "./log-line.ts";
import { Part, type DevelopedPart, type PrintLine } from "./part.ts";
import {
  findLanAddress,
  planParts,
  readAddresses,
  refuseBuiltInDatabase,
  SettingsError,
  warnOfOpenSandbox,
  writeSandboxTrunk,
  type Addresses,
} from "./settings.ts";

type Env = Readonly<Record<string, string | undefined>>;

/**
 * Runs the complete product on this machine until a signal arrives: PostgreSQL (unless DATABASE_URL is set), the sandbox for outside services
 * without keys, the exchange and the service. The exchange stops first, so that the service is informed how its calls end.
 * @returns the exit code: 0 after a requested stop, 1 if something could not start or keep running
 */
export async function startAll(env: Env, { lan }: { lan: boolean }, development: Development | null = null): Promise<number> {
  const stop = whenAskedToStop();
  outliveOutput();
  const running: Running = { data: null, log: null, postgres: null, parts: [], closeLanDoor: null };
  const form = process.stdout.isTTY ? "terminal" : "json";
  const printLine: PrintLine = (part, line) => {
    process.stdout.write(`${logLine(form, part, line)}\n`);
    running.log?.add(part, line);
  };
  try {
    const began = performance.now();
    for (const one of envFileWarnings(ENV_FILE)) printLine("farline", one);
    const addresses = readAddresses(env, lan ? findLanAddress(env) : null);
    refuseBuiltInDatabase(env);
    const warning = warnOfOpenSandbox(env, addresses);
    if (warning !== null) printLine("farline", warning);
    await bringUp(env, addresses, { running, stop, development, printLine });
    if (stop.asked) return 0;
    await development?.started(running.parts, printLine);
    if (addresses.lan !== null) process.stdout.write(`${lanInvitation(addresses.publicUrl)}\n`);
    printLine("farline", `Ready in ${((performance.now() - began) / 1000).toFixed(1)} s. Open ${addresses.publicUrl}`);
    return await untilOver(running, stop.whenAsked, printLine);
  } catch (error) {
    if (isExpected(error)) printLine("farline", error.message);
    else printLine("farline", `Could not start: ${error instanceof Error ? error.message : String(error)}`);
    return 1;
  } finally {
    running.closeLanDoor?.();
    for (const part of running.parts.toSorted((a, b) => STOP_ORDER.indexOf(a.name) - STOP_ORDER.indexOf(b.name)))
      await part.stop();
    await running.postgres?.stop();
    running.data?.release();
  }
}

/** `npm run dev`: programs that crash stay down until `started`'s watcher restarts them. */
interface Development extends DevelopedPart {
  started(parts: readonly Part[], printLine: PrintLine): Promise<void>;
}

interface Running {
  data: DataDirectory | null;
  log: KeptLog | null;
  postgres: LocalPostgres | null;
  closeLanDoor: (() => void) | null;
  readonly parts: Part[];
}

interface BringUp {
  readonly running: Running;
  readonly stop: Stop;
  readonly development: Development | null;
  readonly printLine: PrintLine;
}

/** Returns early once it is asked to stop: a database that does not answer must not hold up who presses Ctrl-C. */
async function bringUp(env: Env, addresses: Addresses, { running, stop, development, printLine }: BringUp): Promise<void> {
  running.data = openDataDirectory(env["DATA_DIR"] || "./data");
  running.log = new KeptLog(running.data.path);
  writeSandboxTrunk(env, addresses, running.data);
  await waitForFreePorts(addresses, stop);
  if (stop.asked) return;
  await refuseStrangerOnLoopback(addresses);
  if (addresses.lan !== null) running.closeLanDoor = await openLanDoor(addresses.lan, running.data.path);
  if (!env["DATABASE_URL"]) running.postgres = await startLocalPostgres({ directory: join(running.data.path, "postgres") });
  const databaseUrl = running.postgres?.url ?? withDatabasePassword(env["DATABASE_URL"] ?? "", env["DATABASE_PASSWORD"]);
  if (stop.asked) return;
  const parts = planParts(env, addresses, running.data, databaseUrl).map((plan) => new Part(plan, printLine, development));
  running.parts.push(...parts);
  // Processes start in parallel: the service retries whatever is not up yet.
  const started = Promise.all(parts.map((part) => (development === null ? part.start() : part.restart())));
  await Promise.race([started, stop.whenAsked]);
}

async function untilOver(running: Running, whenAsked: Promise<void>, printLine: PrintLine): Promise<number> {
  const ends: Promise<"asked" | "given up" | "database">[] = [
    whenAsked.then(() => "asked" as const),
    ...running.parts.map((part) => part.givenUp.then(() => "given up" as const)),
  ];
  if (running.postgres) ends.push(running.postgres.exited.then(() => "database" as const));
  const end = await Promise.race(ends);
  if (end === "database") printLine("farline", "PostgreSQL died. Everything is stopped; start again, and it recovers.");
  return end === "asked" ? 0 : 1;
}

const STOP_ORDER = ["exchange", "service", "sandbox"];

interface Stop {
  asked: boolean;
  readonly whenAsked: Promise<void>;
}

function whenAskedToStop(): Stop {
  const { promise, resolve } = Promise.withResolvers<void>();
  const stop: Stop = { asked: false, whenAsked: promise };
  // One Ctrl-C may arrive twice, from the terminal and from npm. The second must not interrupt the shutdown.
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
    process.on(signal, () => {
      stop.asked = true;
      resolve();
    });
  return stop;
}

/** The programs outlive a terminal that is closed, and a log whose disk is full. */
function outliveOutput(): void {
  for (const stream of [process.stdout, process.stderr]) stream.removeAllListeners("error").on("error", () => undefined);
}

function isExpected(error: unknown): error is Error {
  return error instanceof DataDirectoryError || error instanceof SettingsError || error instanceof LocalPostgresError;
}
