import { generateKeyPairSync, randomBytes } from "node:crypto";
import { accessSync, constants, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { DatabaseSync } from "node:sqlite";

const SQLITE_BUSY = 5;

/** The data directory cannot be used. The message is one sentence. */
export class DataDirectoryError extends Error {}

export interface DataDirectory {
  readonly path: string;
  readonly secrets: Secrets;
  /** Releases the directory. */
  release(): void;
}

/** Keys shared by the programs of one installation. Generated once, stored with the data, readable by the owner only. */
export interface Secrets {
  readonly telnyxApiKey: string;
  readonly connectionId: string;
  /** Ed25519, PKCS8 DER, base64: the exchange signs its webhooks with it. */
  readonly exchangeSigningKey: string;
  /** Ed25519, 32 bytes, base64: the service verifies webhooks with it. */
  readonly exchangePublicKey: string;
  /** 32 bytes, base64: the exchange signs login tokens with it. */
  readonly exchangeTokenKey: string;
  readonly stripeSecretKey: string;
  readonly stripeWebhookSecret: string;
  /** The service's credentials at the sandbox's OpenID provider. */
  readonly googleClientId: string;
  readonly googleClientSecret: string;
  /** 32 bytes, base64: the service's own secret, used for passwords and links in mails. */
  readonly serviceSecret: string;
}

/**
 * Locks a data directory for this process and reads or generates its secrets.
 * @throws DataDirectoryError while another process holds it, or if it cannot be written
 */
export function openDataDirectory(where: string): DataDirectory {
  const path = resolve(where);
  let lock: DatabaseSync | null = null;
  try {
    mkdirSync(path, { recursive: true, mode: 0o711 });
    // SQLite would say only that it cannot open a file.
    accessSync(path, constants.W_OK | constants.X_OK);
    const held = lockDirectory(path);
    lock = held;
    return { path, secrets: readSecrets(join(path, "secrets.json")), release: () => held.close() };
  } catch (error) {
    lock?.close();
    if (error instanceof DataDirectoryError) throw error;
    throw new DataDirectoryError(`The data directory ${path} cannot be used: ${(error as Error).message}.`);
  }
}

/** Reads a data directory without locking it, for commands that change nothing. Missing secrets are generated but not stored. */
export function readDataDirectory(where: string): Omit<DataDirectory, "release"> {
  const path = resolve(where);
  return { path, secrets: readStored(join(path, "secrets.json")).secrets };
}

/**
 * Uses SQLite for a file lock that the operating system releases however the process ends, because Node has no API for one. An exclusive
 * transaction takes such a lock; nothing is ever written.
 */
function lockDirectory(path: string): DatabaseSync {
  const holder = join(path, "lock.pid");
  const lock = new DatabaseSync(join(path, "lock"), { timeout: 0 });
  try {
    lock.exec("BEGIN EXCLUSIVE");
    writeFileSync(holder, String(process.pid));
    return lock;
  } catch (error) {
    lock.close();
    if ((error as { errcode?: number }).errcode !== SQLITE_BUSY) throw error;
    const who = existsSync(holder) ? ` (process ${readFileSync(holder, "utf8")})` : "";
    throw new DataDirectoryError(
      `Farline already runs on ${path}${who}. Stop it, or start this one with another DATA_DIR and PORT.`,
    );
  }
}

/** Reads the keys and generates missing ones. */
function readSecrets(file: string): Secrets {
  const { secrets, complete } = readStored(file);
  if (complete) return secrets;
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, JSON.stringify(secrets, null, 2), { mode: 0o600, flush: true });
  renameSync(draft, file);
  return secrets;
}

function readStored(file: string): { secrets: Secrets; complete: boolean } {
  const stored = existsSync(file) ? parseSecrets(file) : {};
  const secrets: Secrets = { ...newSecrets(), ...stored };
  return { secrets, complete: Object.keys(secrets).every((name) => name in stored) };
}

/** @throws DataDirectoryError for a damaged file, without the parser's message, which quotes keys */
function parseSecrets(file: string): Partial<Secrets> {
  const text = readFileSync(file, "utf8");
  try {
    return JSON.parse(text) as Partial<Secrets>;
  } catch {
    throw new DataDirectoryError(
      `The keys in ${file} are damaged. Restore the file from a copy. If you delete it, new keys are made and no existing password will work.`,
    );
  }
}

/** Fresh keys for one installation. */
export function newSecrets(): Secrets {
  const { privateKey, publicKey } = generateKeyPairSync("ed25519");
  return {
    telnyxApiKey: `KEY${randomBytes(24).toString("hex")}`,
    connectionId: BigInt(`0x${randomBytes(7).toString("hex")}`).toString(),
    exchangeSigningKey: privateKey.export({ type: "pkcs8", format: "der" }).toString("base64"),
    exchangePublicKey: publicKey.export({ type: "spki", format: "der" }).subarray(-32).toString("base64"),
    exchangeTokenKey: randomBytes(32).toString("base64"),
    stripeSecretKey: `sk_test_${randomBytes(24).toString("hex")}`,
    stripeWebhookSecret: `whsec_${randomBytes(24).toString("hex")}`,
    googleClientId: `farline-${randomBytes(8).toString("hex")}`,
    googleClientSecret: randomBytes(32).toString("base64url"),
    serviceSecret: randomBytes(32).toString("base64"),
  };
}
