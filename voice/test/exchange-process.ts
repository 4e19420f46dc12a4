import { type ChildProcess, fork } from "node:child_process";
import { generateKeyPairSync, randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { createSocket } from "node:dgram";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import Telnyx from "telnyx";
import { SdkClient } from "./sdk-client.ts";
import { pageOrigin } from "./test-exchange.ts";
import { WebhookReceiver } from "./webhook-receiver.ts";

const PROGRAM = fileURLToPath(new URL("../src/main.ts", import.meta.url));

/** The exchange as a process of its own, with one trunk to a port of this machine, that can be killed and started again. */
export class ExchangeProcess {
  readonly webhooks = new WebhookReceiver();
  readonly telnyx: Telnyx;
  readonly #env: Record<string, string>;
  readonly #folder: string;
  #child: ChildProcess | null = null;

  static async start(trunkPort: number): Promise<ExchangeProcess> {
    const [port, controlPort, sipPort] = [await freeTcpPort(), await freeTcpPort(), await freeUdpPort()];
    const exchange = new ExchangeProcess({ trunkPort, port, controlPort, sipPort });
    exchange.#env["WEBHOOK_URL"] = await exchange.webhooks.listen();
    await exchange.startAgain();
    return exchange;
  }

  private constructor(ports: { trunkPort: number; port: number; controlPort: number; sipPort: number }) {
    this.#folder = mkdtempSync(join(tmpdir(), "farline-exchange-"));
    const trunks = join(this.#folder, "trunks.json");
    writeFileSync(trunks, JSON.stringify([{ name: "carrier", host: "127.0.0.1", port: ports.trunkPort }]));
    this.#env = {
      PATH: process.env["PATH"] ?? "",
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
    };
    this.telnyx = new Telnyx({ apiKey: "KEYtest", baseURL: `http://127.0.0.1:${ports.controlPort}/v2`, maxRetries: 0 });
  }

  async startAgain(): Promise<void> {
    const child = fork(PROGRAM, [], { env: this.#env, silent: true });
    this.#child = child;
    await Promise.race([
      once(child, "message"),
      once(child, "exit").then(() => Promise.reject(new Error("The exchange ended before it was ready."))),
    ]);
  }

  /** Of the program: it stops in order at `SIGTERM`, and at once at `SIGKILL`. Resolves when it is gone. */
  async end(signal: "SIGTERM" | "SIGKILL"): Promise<void> {
    const child = this.#child;
    this.#child = null;
    if (child === null || child.exitCode !== null) return;
    const gone = once(child, "exit");
    child.kill(signal);
    await gone;
  }

  /** Nobody supervises it any more: a request to stop lets live calls end. */
  get pid(): number {
    return this.#child?.pid ?? 0;
  }

  async browser(): Promise<SdkClient> {
    const { data } = await this.telnyx.telephonyCredentials.create({ connection_id: "1234567890", name: "user-42" });
    const token = await this.telnyx.telephonyCredentials.createToken(data?.id ?? "");
    const client = await SdkClient.open(`ws://127.0.0.1:${this.#env["VOICE_PORT"]}/voice`, pageOrigin);
    await client.login(token);
    return client;
  }

  async close(): Promise<void> {
    await this.end("SIGKILL");
    await this.webhooks.close();
    rmSync(this.#folder, { recursive: true });
  }
}

async function freeTcpPort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, "close");
  return port;
}

async function freeUdpPort(): Promise<number> {
  const socket = createSocket("udp4").bind(0, "127.0.0.1");
  await once(socket, "listening");
  const { port } = socket.address();
  socket.close();
  await once(socket, "close");
  return port;
}
