import { type ChildProcess, fork, spawn } from "node:child_process";
import { generateKeyPairSync, randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import Telnyx from "telnyx";
import { freePort } from "./free-port.ts";
import { SdkClient } from "./sdk-client.ts";
import { pageOrigin } from "./test-exchange.ts";
import { WebhookReceiver } from "./webhook-receiver.ts";

const PROGRAM = fileURLToPath(new URL("../src/main.ts", import.meta.url));

const POLL_INTERVAL_MS = 50;
const READY_POLLS = 1_200;

interface ExchangeProcessOptions {
  /** More settings. */
  readonly env?: Record<string, string>;
  /** Without a supervisor, SIGTERM drains live calls. Default true. */
  readonly supervised?: boolean;
}

/** The exchange in its own process, with one trunk to a local port. It can be killed and restarted. */
export class ExchangeProcess {
  readonly webhooks = new WebhookReceiver();
  readonly telnyx: Telnyx;
  readonly #env: Record<string, string>;
  readonly #folder: string;
  #supervised: boolean;
  #child: ChildProcess | null = null;

  static async start(trunkPort: number, options: ExchangeProcessOptions = {}): Promise<ExchangeProcess> {
    const [port, sipPort] = [await freePort(), await freePort()];
    const controlPort = Number(options.env?.["VOICE_CONTROL_PORT"] ?? (await freePort()));
    const exchange = new ExchangeProcess({ trunkPort, port, controlPort, sipPort }, options);
    exchange.#env["WEBHOOK_URL"] = await exchange.webhooks.listen();
    await exchange.startAgain();
    return exchange;
  }

  private constructor(
    ports: { trunkPort: number; port: number; controlPort: number; sipPort: number },
    { env = {}, supervised = true }: ExchangeProcessOptions,
  ) {
    this.#supervised = supervised;
    this.#folder = mkdtempSync(join(tmpdir(), "farline-exchange-"));
    const trunks = join(this.#folder, "trunks.json");
    const trunk = { name: "carrier", host: "127.0.0.1", port: ports.trunkPort, price_per_minute: "0.0120" };
    writeFileSync(trunks, JSON.stringify([trunk]));
    this.#env = {
      PATH: process.env["PATH"] ?? "",
      NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"] ?? "",
      VOICE_PORT: String(ports.port),
      VOICE_CONTROL_PORT: String(ports.controlPort),
      SIP_PORT: String(ports.sipPort),
      TELNYX_API_KEY: "KEYtest",
      TELNYX_CONNECTION_ID: "1234567890",
      EXCHANGE_SIGNING_KEY: generateKeyPairSync("ed25519").privateKey.export({ format: "der", type: "pkcs8" }).toString("base64"),
      EXCHANGE_TOKEN_KEY: randomBytes(32).toString("base64"),
      ALLOWED_ORIGINS: pageOrigin,
      SIP_TRUNKS: trunks,
      VOICE_JOURNAL: join(this.#folder, "exchange.journal"),
      LOG_LEVEL: "silent",
      ...env,
    };
    this.telnyx = new Telnyx({ apiKey: "KEYtest", baseURL: `http://127.0.0.1:${ports.controlPort}/v2`, maxRetries: 0 });
  }

  /** Starts it, and the supervisor is gone before it is ready. @returns the signal that ended it */
  async startWithLostSupervisor(): Promise<NodeJS.Signals | null> {
    const child = fork(PROGRAM, [], { env: this.#env, silent: true });
    this.#child = child;
    child.disconnect();
    const [, signal] = (await once(child, "exit")) as [number | null, NodeJS.Signals | null];
    return signal;
  }

  /** @param supervised default as before */
  async startAgain({ supervised = this.#supervised } = {}): Promise<void> {
    this.#supervised = supervised;
    const child = this.#supervised
      ? fork(PROGRAM, [], { env: this.#env, silent: true })
      : spawn(process.execPath, [PROGRAM], { env: this.#env, stdio: "inherit" });
    this.#child = child;
    await Promise.race([
      this.#supervised ? once(child, "message") : this.#untilReady(),
      once(child, "exit").then(() => Promise.reject(new Error("The exchange ended before it was ready."))),
    ]);
  }

  async #untilReady(): Promise<void> {
    for (let tries = 0; tries < READY_POLLS; tries += 1) {
      if ((await this.readiness()) === 200) return;
      await setTimeout(POLL_INTERVAL_MS);
    }
    throw new Error("The exchange was not ready in time.");
  }

  /** The status of `GET /readyz`; 0 without a response. */
  async readiness(): Promise<number> {
    return fetch(`http://127.0.0.1:${this.#env["VOICE_PORT"]}/readyz`).then(
      ({ status }) => status,
      () => 0,
    );
  }

  /** Stops the process in order with SIGTERM, or at once with SIGKILL. Resolves when it has exited. */
  async end(signal: "SIGTERM" | "SIGKILL"): Promise<void> {
    const child = this.#child;
    if (signal === "SIGKILL") this.#child = null;
    if (child === null || child.exitCode !== null) return;
    const gone = once(child, "exit");
    child.kill(signal);
    await gone;
  }

  get pid(): number {
    return this.#child?.pid ?? 0;
  }

  get wsUrl(): string {
    return `ws://127.0.0.1:${this.#env["VOICE_PORT"]}/voice`;
  }

  async token(): Promise<string> {
    const { data } = await this.telnyx.telephonyCredentials.create({ connection_id: "1234567890", name: "user-42" });
    return this.telnyx.telephonyCredentials.createToken(data?.id ?? "");
  }

  async browser(token?: string): Promise<SdkClient> {
    const client = await SdkClient.open(this.wsUrl, pageOrigin);
    await client.login(token ?? (await this.token()));
    return client;
  }

  async close(): Promise<void> {
    await this.end("SIGKILL");
    await this.webhooks.close();
    rmSync(this.#folder, { recursive: true });
  }
}
