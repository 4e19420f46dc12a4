import type { Logger } from "pino";
import { createPublicKey, generateKeyPairSync, randomBytes } from "node:crypto";
import Telnyx from "telnyx";
import { ScriptedMediaSource, ScriptedNetwork, silentLog } from "./scripted-ports.ts";
import type { MediaSource } from "../src/media/media-plane.ts";
import type { FarNetwork } from "../src/sip/trunk.ts";
import type { ExchangeConfig } from "../src/config.ts";
import { startExchangeCore, type ExchangeCore } from "../src/exchange-core.ts";
import { SdkClient } from "./sdk-client.ts";
import { WebhookReceiver } from "./webhook-receiver.ts";
import { LOOPBACK } from "./loopback.ts";

export const pageOrigin = "http://localhost:3000";

/** An exchange on free ports with a webhook receiver. Media and network are scripted by default. */
export interface TestExchange {
  readonly exchange: ExchangeCore;
  readonly config: ExchangeConfig;
  readonly media: ScriptedMediaSource;
  readonly network: ScriptedNetwork;
  readonly webhooks: WebhookReceiver;
  readonly telnyx: Telnyx;
  /** Ed25519, 32 bytes in base64. */
  readonly publicKey: string;
  readonly wsUrl: string;
  /** Creates a credential and a login token. @param tag default: a new account @param name of its session */
  token(tag?: string, name?: string): Promise<{ credentialId: string; token: string }>;
  /** A signed-in browser. */
  browser(token?: string): Promise<SdkClient>;
  close(): Promise<void>;
}

export function testConfig(given: Partial<ExchangeConfig> & { webhookUrl: string }): ExchangeConfig {
  return {
    node: "a",
    nodes: new Map(),
    nodeHosts: [],
    port: 0,
    host: "127.0.0.1",
    controlPort: 0,
    controlHost: "127.0.0.1",
    mediaAddress: LOOPBACK,
    mediaPorts: null,
    rtpAddress: LOOPBACK,
    rtpPorts: { first: 20_000, last: 29_999 },
    sipPort: 0,
    sipTls: null,
    apiKeys: ["KEYtest", "KEYnext"],
    signingKey: generateKeyPairSync("ed25519").privateKey,
    tokenKeys: [randomBytes(32)],
    connectionId: "1234567890",
    callerNumber: "+12025550143",
    allowedOrigins: [pageOrigin],
    journal: null,
    trunks: [],
    trunkFile: null,
    mediaProcesses: 1,
    rtpengines: [],
    maxCalls: 20,
    maxCallsPerAccount: 4,
    stopNoticeMs: 0,
    drainMs: 0,
    trustedProxies: 0,
    logLevel: "silent",
    ...given,
  };
}

export async function testExchange(
  options: {
    media?: MediaSource;
    network?: FarNetwork;
    config?: Partial<ExchangeConfig>;
    webhooks?: WebhookReceiver;
    log?: Logger;
  } = {},
): Promise<TestExchange> {
  const webhooks = options.webhooks ?? new WebhookReceiver();
  const media = new ScriptedMediaSource();
  const network = new ScriptedNetwork();
  const clients: SdkClient[] = [];
  const config = testConfig({ webhookUrl: await webhooks.listen(), ...options.config });
  const exchange = await startExchangeCore({
    config,
    media: options.media ?? media,
    network: options.network ?? network,
    log: options.log ?? silentLog,
  });
  const publicKey = createPublicKey(config.signingKey).export({ format: "der", type: "spki" }).subarray(-32).toString("base64");
  const telnyx = new Telnyx({
    apiKey: config.apiKeys[0],
    baseURL: `http://127.0.0.1:${exchange.controlPort}/v2`,
    publicKey,
    maxRetries: 0,
  });
  const wsUrl = `ws://127.0.0.1:${exchange.port}/voice`;
  async function token(tag?: string, name = "user-42"): Promise<{ credentialId: string; token: string }> {
    const named = { connection_id: config.connectionId, name, ...(tag === undefined ? {} : { tag }) };
    const { data } = await telnyx.telephonyCredentials.create(named);
    const credentialId = data?.id ?? "";
    return { credentialId, token: await telnyx.telephonyCredentials.createToken(credentialId) };
  }
  return {
    exchange,
    config,
    media,
    network,
    webhooks,
    telnyx,
    publicKey,
    wsUrl,
    token,
    async browser(given) {
      const client = await SdkClient.open(wsUrl, pageOrigin);
      clients.push(client);
      await client.login(given ?? (await token()).token);
      return client;
    },
    async close() {
      for (const client of clients) client.drop();
      await exchange.close();
      await webhooks.close();
    },
  };
}
