import { freePort } from "@farline/voice/test/free-port.ts";
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { Child } from "../support/child.ts";
import { readRows } from "../support/database.ts";
import { DatabaseServer, type Member } from "./database-server.ts";

const NAMES = ["one", "two", "three"] as const;
const HEALTHY_WITHIN_MS = 180_000;
const CHECK_EVERY_MS = 250;
const PASSWORD = "drill";
const DEPLOY = new URL("../../deploy/", import.meta.url);
/** Of the file that Debian's package installs, to which an operator appends ours. */
const DEBIAN_DEFAULTS = `defaults
  mode http
  option httplog
  option dontlognull
  timeout connect 5000
  timeout client 50000
  timeout server 50000
`;

/**
 * Three PostgreSQL servers under Patroni, three etcd and HAProxy with the files of deploy/, on this machine's loopback addresses
 * 127.0.0.11 to 127.0.0.13.
 */
export class Cluster {
  readonly servers: readonly DatabaseServer[];
  readonly stores: readonly Child[];
  readonly proxy: Child;
  readonly #port: number;

  private constructor(folder: string, port: number) {
    this.#port = port;
    this.stores = NAMES.map((name, index) => storeOf(folder, name, index));
    this.servers = NAMES.map(
      (name, index) => new DatabaseServer(folder, { name, address: addressOf(index), config: serverConfig }),
    );
    const config = join(folder, "haproxy.cfg");
    writeFileSync(config, DEBIAN_DEFAULTS + onLoopback(deployed("haproxy/database.cfg")).replace(":5433", `:${port}`));
    this.proxy = new Child("haproxy", { parameters: ["-db", "-f", config], log: join(folder, "haproxy.log") });
  }

  /** @throws Error if the cluster is not healthy in time; its logs are in `folder` */
  static async start(folder: string): Promise<Cluster> {
    const cluster = new Cluster(folder, await freePort());
    if (process.getuid?.() === 0) execFileSync("chown", ["-R", "postgres:", folder]);
    for (const store of cluster.stores) store.start();
    for (const server of cluster.servers) server.start();
    cluster.proxy.start();
    await cluster.healthy();
    await cluster.#createDatabase();
    return cluster;
  }

  /** Connection string that leads to the primary. */
  get url(): string {
    return `postgres://farline:${PASSWORD}@127.0.0.1:${this.#port}/farline`;
  }

  async primary(): Promise<DatabaseServer> {
    return this.#serverThatIs("leader");
  }

  async synchronousStandby(): Promise<DatabaseServer> {
    return this.#serverThatIs("sync_standby");
  }

  /** Resolves when there is a primary, a synchronous standby and a third server that follows. @throws Error after the limit */
  async healthy(): Promise<void> {
    const until = Date.now() + HEALTHY_WITHIN_MS;
    let last: readonly Member[] = [];
    while (Date.now() < until) {
      last = await this.#members();
      const roles = last.filter(({ state }) => state === "running" || state === "streaming").map(({ role }) => role);
      if (roles.toSorted().join() === "leader,replica,sync_standby") return;
      await pause(CHECK_EVERY_MS);
    }
    throw new Error(`The cluster is not healthy: ${JSON.stringify(last)}`);
  }

  async stop(): Promise<void> {
    await this.proxy.kill();
    for (const server of this.servers) await server.kill();
    for (const store of this.stores) await store.kill();
  }

  async #serverThatIs(role: string): Promise<DatabaseServer> {
    const member = (await this.#members()).find((one) => one.role === role);
    const server = this.servers.find(({ name }) => name === member?.name);
    if (server === undefined) throw new Error(`No server is ${role}.`);
    return server;
  }

  /** As the first server that answers sees them. */
  async #members(): Promise<readonly Member[]> {
    for (const server of this.servers) {
      const members = await server.members();
      if (members.length > 0) return members;
    }
    return [];
  }

  async #createDatabase(): Promise<void> {
    const url = `postgres://postgres:${PASSWORD}@127.0.0.1:${this.#port}/postgres`;
    await readRows(url, `create role farline login password '${PASSWORD}'`);
    await readRows(url, "create database farline owner farline");
  }
}

function storeOf(folder: string, name: string, index: number): Child {
  const mine = `10.0.0.11:`;
  const lines = deployed("patroni/etcd.env")
    .split("\n")
    .filter((line) => line.startsWith("ETCD_"));
  const env = Object.fromEntries(
    lines.map((line) => {
      const [key, value] = split(line);
      return [key, onLoopback(key === "ETCD_INITIAL_CLUSTER" ? value : value.replace(mine, `10.0.0.1${index + 1}:`))];
    }),
  );
  return new Child("etcd", {
    log: join(folder, `etcd-${name}.log`),
    env: { ...env, ETCD_NAME: name, ETCD_DATA_DIR: join(folder, `etcd-${name}`) },
  });
}

function split(line: string): [string, string] {
  const at = line.indexOf("=");
  return [line.slice(0, at), line.slice(at + 1)];
}

function serverConfig({
  name,
  address,
  data,
  sockets,
}: {
  name: string;
  address: string;
  data: string;
  sockets: string;
}): string {
  mkdirSync(sockets, { recursive: true });
  return onLoopback(
    deployed("patroni/patroni.yml")
      .replace("name: one", `name: ${name}`)
      .replaceAll(/(listen|connect_address): 10\.0\.0\.11/g, `$1: ${address}`)
      .replaceAll(/change-me-\d/g, PASSWORD)
      .replace("/var/lib/postgresql/15/farline", data)
      .replace("/var/lib/postgresql/.pgpass-patroni", join(sockets, "pgpass"))
      .replace("/var/run/postgresql", sockets)
      .replace(/archive_command: .*/, "archive_command: /bin/true")
      .replaceAll("10.0.0.0/24", "127.0.0.0/8"),
  );
}

function addressOf(index: number): string {
  return `127.0.0.1${index + 1}`;
}

function onLoopback(text: string): string {
  return text.replaceAll(/10\.0\.0\.1(\d)/g, "127.0.0.1$1");
}

function deployed(path: string): string {
  return readFileSync(new URL(path, DEPLOY), "utf8");
}
