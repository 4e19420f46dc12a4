import type { KeyObject } from "node:crypto";
import { readFileSync } from "node:fs";
import { createSecureContext } from "node:tls";
import type { CertificateAndKey } from "@farline/sip/transport/tls-identity.ts";
import { DEFAULT_CALLER_NUMBER } from "@farline/contract/caller-id.ts";
import { type KeyList, readKeyList } from "@farline/contract/settings/setting.ts";
import { parseSettings, type ReadBy } from "@farline/contract/settings/read-settings.ts";
import type { Address } from "./address.ts";
import type { PortRange } from "./media/media-messages.ts";
import type { EngineSettings } from "./media/rtpengine/engine.ts";
import { readSigningKey } from "./control/webhook-signature.ts";
import type { TrunkConfig } from "./sip/trunk.ts";
import { readTrunkFile } from "./sip/trunk-file.ts";

/** Where carriers connect by TLS, and what the exchange shows them. */
interface SipTls {
  readonly port: number;
  readonly files: readonly string[];
  /** Reads the files, which may have been renewed. @throws Error if they cannot be used */
  read(): CertificateAndKey;
}

export interface ExchangeConfig {
  /** This exchange's name among its nodes. */
  readonly node: string;
  /** The control listeners of all nodes by name; empty for a single node. */
  readonly nodes: ReadonlyMap<string, URL>;
  /** Where further exchanges may announce themselves; empty if none may. */
  readonly nodeHosts: readonly string[];
  /** For browsers. */
  readonly port: number;
  readonly host: string;
  /** For the service's commands. Must not be reachable from the internet. */
  readonly controlPort: number;
  readonly controlHost: string;
  readonly mediaAddress: Address;
  readonly mediaPorts: PortRange | null;
  /** For RTP and SIP with the trunks. */
  readonly rtpAddress: Address;
  readonly rtpPorts: PortRange;
  /** UDP, 0 for any. */
  readonly sipPort: number;
  /** Where carriers may connect by TLS; null: nowhere. PEM texts. */
  readonly sipTls: SipTls | null;
  readonly apiKeys: KeyList<string>;
  readonly signingKey: KeyObject;
  /** 32 bytes each. */
  readonly tokenKeys: KeyList<Uint8Array>;
  readonly connectionId: string;
  /** The caller id of calls that do not show a customer's number. */
  readonly callerNumber: string;
  readonly webhookUrl: string;
  readonly allowedOrigins: readonly string[];
  /** File for live calls and undelivered events; null: none. */
  readonly journal: string | null;
  readonly trunks: readonly TrunkConfig[];
  /** The file to reload them from; null: none. */
  readonly trunkFile: string | null;
  readonly mediaProcesses: number;
  /** rtpengine instances to use instead of media processes; may be empty. */
  readonly rtpengines: readonly EngineSettings[];
  readonly maxCalls: number;
  readonly maxCallsPerAccount: number;
  /** How long it serves as before after a request to stop, while it says that it is not ready. */
  readonly stopNoticeMs: number;
  /** How long live calls may continue after that. */
  readonly drainMs: number;
  /** Reverse proxies in front of the browsers' port. */
  readonly trustedProxies: number;
  readonly logLevel: string;
}

/** As an address to bind. */
const EVERY_ADDRESS = "0.0.0.0";

/** A missing or invalid setting, which the message names. */
export class ConfigError extends Error {}

function fail(why: string): never {
  throw new ConfigError(`The exchange cannot start with these settings: ${why}.`);
}

function overlap(one: PortRange, other: PortRange): boolean {
  return one.first <= other.last && other.first <= one.last;
}

function trunksOf(path: string): TrunkConfig[] {
  try {
    return readTrunkFile(path);
  } catch (error) {
    return fail(`SIP_TRUNKS: ${(error as Error).message}`);
  }
}

function signingKey(base64: string): KeyObject {
  try {
    return readSigningKey(base64);
  } catch {
    // The key itself must not appear in a message.
    return fail("EXCHANGE_SIGNING_KEY: must be an Ed25519 private key, PKCS#8 DER in base64");
  }
}

function tokenKey(base64: string): Uint8Array {
  const key = Buffer.from(base64, "base64");
  return key.length === 32 ? key : fail("EXCHANGE_TOKEN_KEY: must be 32 bytes in base64");
}

/** The certificate is tried at once, so that a wrong one stops the start and not the first call. */
function readSipTls({ SIP_TLS_PORT: port, SIP_TLS_CERT: certPath, SIP_TLS_KEY: keyPath }: ReadBy<"exchange">) {
  if ((certPath === undefined) !== (keyPath === undefined)) fail("SIP_TLS_CERT and SIP_TLS_KEY belong together");
  if (certPath === undefined || keyPath === undefined) return null;
  const read = (): CertificateAndKey => {
    const [cert, key] = [readFileSync(certPath, "utf8"), readFileSync(keyPath, "utf8")];
    createSecureContext({ cert, key });
    return { cert, key };
  };
  try {
    read();
    return { port, files: [certPath, keyPath], read };
  } catch (error) {
    return fail(`SIP_TLS_CERT and SIP_TLS_KEY: ${(error as Error).message}`);
  }
}

/** Firefox uses no loopback address, and a machine without a network has no other: bound to all, both are announced. */
function mediaAddressOf({ VOICE_MEDIA_IP: bound, VOICE_MEDIA_ANNOUNCE: announced }: ReadBy<"exchange">): Address {
  if (announced !== undefined || bound !== EVERY_ADDRESS) return { bound, announced: announced ?? bound };
  return { bound, announced: "127.0.0.1", announcesOwn: true };
}

/**
 * Reads the exchange's settings from environment variables and the trunk file.
 * @throws ConfigError that names each invalid setting
 */
export function readConfig(env: Record<string, string | undefined>): ExchangeConfig {
  const parsed = parseSettings("exchange", env);
  if ("problems" in parsed) fail(parsed.problems);
  const e = parsed.values;
  const mediaPorts = e.VOICE_MEDIA_PORTS ?? null;
  const isShared = [e.RTP_BIND_IP, EVERY_ADDRESS].includes(e.VOICE_MEDIA_IP);
  if (mediaPorts !== null && isShared && overlap(mediaPorts, e.RTP_PORTS))
    fail("VOICE_MEDIA_PORTS: must not overlap RTP_PORTS on the same address");
  if (e.VOICE_NODES.size > 0 && !e.VOICE_NODES.has(e.VOICE_NODE)) fail("VOICE_NODES: must name VOICE_NODE too");
  if (e.VOICE_NODE_HOSTS.length > 0 && e.VOICE_NODES.size === 0)
    fail("VOICE_NODES: must name this exchange and one of the others, because VOICE_NODE_HOSTS is set");
  return {
    node: e.VOICE_NODE,
    nodes: e.VOICE_NODES,
    nodeHosts: e.VOICE_NODE_HOSTS,
    port: e.VOICE_PORT,
    host: e.VOICE_HOST,
    controlPort: e.VOICE_CONTROL_PORT,
    controlHost: e.VOICE_CONTROL_HOST,
    mediaAddress: mediaAddressOf(e),
    mediaPorts,
    rtpAddress: { bound: e.RTP_BIND_IP, announced: e.RTP_ANNOUNCE ?? e.RTP_BIND_IP },
    rtpPorts: e.RTP_PORTS,
    sipPort: e.SIP_PORT,
    sipTls: readSipTls(e),
    apiKeys: readKeyList(e.TELNYX_API_KEY, String),
    signingKey: readKeyList(e.EXCHANGE_SIGNING_KEY, signingKey)[0],
    tokenKeys: readKeyList(e.EXCHANGE_TOKEN_KEY, tokenKey),
    connectionId: e.TELNYX_CONNECTION_ID,
    callerNumber: e.CALLER_NUMBER ?? DEFAULT_CALLER_NUMBER,
    webhookUrl: e.WEBHOOK_URL,
    journal: e.VOICE_JOURNAL ?? null,
    allowedOrigins: e.ALLOWED_ORIGINS.split(",").map((origin) => origin.trim().replace(/\/+$/, "")),
    trunks: trunksOf(e.SIP_TRUNKS),
    trunkFile: e.SIP_TRUNKS,
    mediaProcesses: e.VOICE_MEDIA_PROCESSES,
    rtpengines: e.RTPENGINES,
    maxCalls: e.MAX_CALLS,
    maxCallsPerAccount: e.MAX_CALLS_PER_ACCOUNT,
    stopNoticeMs: e.STOP_NOTICE_SECONDS * 1_000,
    drainMs: e.DRAIN_MINUTES * 60_000,
    trustedProxies: e.TRUSTED_PROXIES,
    logLevel: e.LOG_LEVEL,
  };
}
