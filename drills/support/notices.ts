import { spawn } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { ReadyResponse } from "@farline/contract/operations.ts";
import type { OverviewResponse } from "@farline/contract/operator/overview.ts";
import type { Product } from "@farline/e2e/support/product.ts";
import { OPERATORS_SQL, operatorToken } from "@farline/server/test/operators.ts";
import { freePort } from "@farline/voice/test/free-port.ts";
import { withDatabase } from "./database.ts";
import { atTheEnd } from "./run-drill.ts";

const MONITORING = new URL("../../deploy/monitoring/", import.meta.url);
const LOOK_EVERY_MS = 500;
const ANSWER_WITHIN_MS = 5_000;
/** A trouble must be seen within a minute. */
const SEEN_WITHIN_MS = 75_000;
/** `npm start` puts the exchange's commands six ports above the service. */
const CONTROL_PORT = 6;

/** Seconds from the beginning of a trouble until each says so; null if it did not. */
export interface SeenAfter {
  readonly ready: number | null;
  readonly alert: number | null;
  readonly overview: number | null;
}

/** Who must see a trouble: `GET /api/ready`, a real Prometheus with our rules, and the console's overview. */
export class Notices {
  readonly #url: string;
  readonly #prometheus: string;
  readonly #cookie: string;

  private constructor(url: string, prometheus: string, cookie: string) {
    this.#url = url;
    this.#prometheus = prometheus;
    this.#cookie = cookie;
  }

  static async start(product: Product, databaseUrl: string, folder: string): Promise<Notices> {
    const token = await withDatabase(databaseUrl, async (client) => {
      await client.query(OPERATORS_SQL);
      return operatorToken((text, values) => client.query(text, values), "grace");
    });
    return new Notices(product.url, await startPrometheus(product, folder), `__Host-operator=${token}`);
  }

  /** Waits until all say it, at most 75 seconds. @param id of the trouble, as in `farline_warning` */
  async see(id: string): Promise<SeenAfter> {
    const began = performance.now();
    const seen: Record<keyof SeenAfter, number | null> = { ready: null, alert: null, overview: null };
    const looks = { ready: () => this.#readySays(id), alert: () => this.#alertSays(id), overview: () => this.#overviewSays(id) };
    while (Object.values(seen).includes(null) && performance.now() - began < SEEN_WITHIN_MS) {
      for (const [name, look] of Object.entries(looks) as [keyof SeenAfter, () => Promise<boolean>][])
        if (seen[name] === null && (await look())) seen[name] = (performance.now() - began) / 1_000;
      await pause(LOOK_EVERY_MS);
    }
    return seen;
  }

  /** A service that is not ready says it by that. */
  async #readySays(id: string): Promise<boolean> {
    const answer = await read(`${this.#url}/api/ready`);
    return answer === null || answer.status === 503 || (answer.body as ReadyResponse).warnings?.some((one) => one.id === id);
  }

  /** An overview that cannot be read says so on the screen. */
  async #overviewSays(id: string): Promise<boolean> {
    const answer = await read(`${this.#url}/api/operator/overview`, { cookie: this.#cookie });
    return (
      answer === null || answer.status >= 500 || (answer.body as OverviewResponse).warnings?.some((one) => one.id === id) === true
    );
  }

  async #alertSays(id: string): Promise<boolean> {
    const answer = await read(`${this.#prometheus}/api/v1/alerts`);
    if (answer === null) return false;
    const { data } = answer.body as { data: { alerts: { state: string; labels: Record<string, string> }[] } };
    const [metric, word = ""] = id.split(" ", 2);
    return data.alerts.some(
      ({ state, labels }) => state === "firing" && labels["metric"] === metric && (labels["word"] ?? "") === word,
    );
  }
}

async function read(url: string, headers: Record<string, string> = {}): Promise<{ status: number; body: unknown } | null> {
  try {
    const answer = await fetch(url, { headers, signal: AbortSignal.timeout(ANSWER_WITHIN_MS) });
    return { status: answer.status, body: await answer.json() };
  } catch {
    return null;
  }
}

/** With our settings and rules, which only lead to other addresses. @returns its address */
async function startPrometheus(product: Product, folder: string): Promise<string> {
  const home = join(folder, "prometheus");
  mkdirSync(home);
  const port = Number(new URL(product.url).port);
  const { telnyxApiKey } = JSON.parse(readFileSync(join(product.dataDir, "secrets.json"), "utf8")) as { telnyxApiKey: string };
  const settings = readFileSync(new URL("prometheus.yml", MONITORING), "utf8")
    .replace("service:3000", `127.0.0.1:${port}`)
    .replace("exchange:3006", `127.0.0.1:${port + CONTROL_PORT}`);
  writeFileSync(join(home, "prometheus.yml"), settings);
  writeFileSync(join(home, "alerts.yml"), readFileSync(new URL("alerts.yml", MONITORING)));
  writeFileSync(join(home, "service-token"), "none");
  writeFileSync(join(home, "exchange-key"), telnyxApiKey);
  const address = `127.0.0.1:${await freePort()}`;
  const options = ["--config.file=prometheus.yml", "--storage.tsdb.path=data", `--web.listen-address=${address}`];
  const child = spawn("prometheus", options, { cwd: home, stdio: "ignore" });
  atTheEnd(() => child.kill());
  return `http://${address}`;
}
