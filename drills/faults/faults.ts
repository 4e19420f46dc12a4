import { spawnSync, execFileSync } from "node:child_process";
import { join } from "node:path";
import { startProduct, type Product } from "@farline/e2e/support/product.ts";
import { startLocalPostgres } from "@farline/server/platform/database/local-postgres.ts";
import { FaultProxy } from "@farline/server/test/fakes/fault-proxy.ts";
import { chmodSync, writeFileSync } from "node:fs";
import { type Fault, passing, tryFaults } from "../support/fault-table.ts";
import { Notices } from "../support/notices.ts";
import { SCRIPTS } from "../support/processes.ts";
import { atTheEnd, folder, runDrill } from "../support/run-drill.ts";
import { ServedDatabase } from "../support/served-database.ts";
import { SmallDisk } from "../support/small-disk.ts";
import { faultsOfDatabase } from "./of-database.ts";
import { FAKETIME, FailingProvider, faultsOfProviders } from "./of-providers.ts";
import { exchangeIsReady, faultsOfProcesses } from "./of-processes.ts";

const SHIFTABLE = ["service", "exchange"] as const;
type Shiftable = (typeof SHIFTABLE)[number];
const MINUTES = 5;
/** Room for the installation's files and some journals. */
const EXCHANGE_DISK = "16m";

/**
 * A drill: the whole product on one machine, with payments and calls under way, while its processes are killed or hang, the ways between them
 * fail, the disk is full and clocks are wrong; with a text, only the faults whose name contains it. Exits with 2 if anything acknowledged is
 * lost or doubled, or answered with an error other than 503.
 */
await runDrill(async () => {
  const provider = await startLocalPostgres({ directory: join(folder, "provider") });
  atTheEnd(() => provider.stop());
  const database = await ServedDatabase.start(join(folder, "database"));
  atTheEnd(() => database.stop());
  const proxy = await FaultProxy.start(database.url);
  atTheEnd(() => proxy.close());
  const failing = await FailingProvider.start();
  const clocks = ShiftedClocks.prepare(folder, failing.preload);
  // The exchange keeps its journal with the installation's data.
  const dataDir = join(folder, "installation");
  const disk = SmallDisk.mount(dataDir, EXCHANGE_DISK);
  if (disk !== null) atTheEnd(() => disk.unmount());
  const product = await startProduct({
    dataDir,
    env: { ...clocks?.env, DATABASE_URL: proxy.through(database.url), SANDBOX_DATABASE_URL: provider.url, LOG_LEVEL: "error" },
  });
  atTheEnd(() => product.stop());
  const [, only = ""] = process.argv.slice(2);
  const faults = [
    ...faultsOfProcesses(product, proxy, disk),
    ...faultsOfDatabase(database, proxy),
    ...faultsOfNetwork(product),
    ...(clocks === null ? [] : [failing.fault()]),
    ...faultsOfProviders(product),
    ...faultsOfClocks(clocks),
  ];
  const notices = spawnSync("prometheus", ["--version"]).status === 0 ? await Notices.start(product, database.url, folder) : null;
  const installation = { product, notices, databaseUrl: database.url, healthy: () => exchangeIsReady(product) };
  return tryFaults(
    installation,
    faults.filter(({ name }) => name.includes(only)),
  );
});

/** A clock that jumps, and jumps back; the other programs' and the database's clocks are right. */
function faultsOfClocks(clocks: ShiftedClocks | null): Fault[] {
  if (clocks === null) return [];
  return SHIFTABLE.flatMap((program) =>
    [MINUTES, -MINUTES].map((minutes) => ({
      // What the exchange's clock says is not used for money, and nobody need notice.
      ...(program === "service" ? { seen: "farline_clock_skew_seconds" } : {}),
      ...passing(`${program}'s clock ${MINUTES} minutes ${minutes > 0 ? "ahead" : "behind"}`, async () => {
        clocks.shift(program, minutes);
        return () => clocks.shift(program, 0);
      }),
    })),
  );
}

/** Packets that are lost between programs of this machine, by its firewall. None without root. */
function faultsOfNetwork(product: Product): Fault[] {
  if (spawnSync("iptables", ["--list", "INPUT"]).status !== 0) return [];
  const port = Number(new URL(product.url).port);
  const cut = (name: string, ...packets: string[][]): Fault =>
    passing(name, async () => {
      const change = (how: "--append" | "--delete") => {
        for (const one of packets)
          execFileSync("iptables", [how, "INPUT", "--in-interface", "lo", ...one, "--jump", "DROP"], { stdio: "ignore" });
      };
      change("--append");
      let repaired = false;
      const repair = () => {
        if (!repaired) change("--delete");
        repaired = true;
      };
      atTheEnd(repair);
      return repair;
    });
  const udp = ["--protocol", "udp"];
  // `npm start` puts the carrier's SIP three ports above the service, and the exchange's commands six.
  const carrier = String(port + 3);
  return [
    cut("carrier's network cut", [...udp, "--destination-port", carrier], [...udp, "--source-port", carrier]),
    cut("sound and signalling of all calls lost", udp),
    cut("service's commands do not reach the exchange", ["--protocol", "tcp", "--destination-port", String(port + 6)]),
  ];
}

/** Clocks of a product's programs that can be set while they run. */
class ShiftedClocks {
  /** For the product's start. Its programs then run by a script that gives each its own clock. */
  readonly env: Readonly<Record<string, string>>;
  readonly #folder: string;

  private constructor(folder: string, library: string, preload: string) {
    this.#folder = folder;
    const starter = join(folder, "node");
    const clocks = SHIFTABLE.map(
      (name) => `*${SCRIPTS[name]}*) export LD_PRELOAD=${library} FAKETIME_TIMESTAMP_FILE=${join(folder, name)} ;;`,
    );
    const lines = [
      "#!/bin/sh",
      // The files are read again after a second. What measures durations stays as it is.
      "export FAKETIME_CACHE_DURATION=1 FAKETIME_DONT_FAKE_MONOTONIC=1",
      `case "$*" in ${clocks.join(" ")} esac`,
      // So that a drill can lead the service's requests elsewhere.
      `case "$*" in *${SCRIPTS.service}*) export NODE_OPTIONS="--import=${preload}" ;; esac`,
      `exec ${process.execPath} "$@"`,
    ];
    writeFileSync(starter, `${lines.join("\n")}\n`);
    chmodSync(starter, 0o755);
    for (const program of SHIFTABLE) this.shift(program, 0);
    this.env = { NODE_OPTIONS: `--import=data:text/javascript,process.execPath='${starter}'` };
  }

  /** Null if the library is not installed. @param preload a module that the service loads first */
  static prepare(folder: string, preload: string): ShiftedClocks | null {
    return FAKETIME === undefined ? null : new ShiftedClocks(folder, FAKETIME, preload);
  }

  /** Sets a program's clock ahead (or back), within a second. */
  shift(program: Shiftable, minutes: number): void {
    writeFileSync(join(this.#folder, program), `${minutes < 0 ? "-" : "+"}${Math.abs(minutes)}m\n`);
  }
}
