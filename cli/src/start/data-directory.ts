import { generateKeyPairSync, randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { DatabaseSync } from "node:sqlite";

const SQLITE_BUSY = 5;

/** The data directory cannot be used. The message is one clear sentence. */
export class DataDirectoryError extends Error {}

export interface DataDirectory {
  readonly path: string;
  readonly secrets: Secrets;
  /** Releases the directory. */
  release(): void;
}

/** Keys the parts of one installation share. Made once, kept beside the data, readable by the owner alone. */
export interface Secrets {
  readonly telnyxApiKey: string;
  readonly connectionId: string;
  /** Ed25519, PKCS8 DER, base64: the exchange signs its webhooks with it. */
  readonly exchangeSigningKey: string;
  /** Ed25519, 32 bytes, base64: the service checks them with it. */
  readonly exchangePublicKey: string;
  /** 32 bytes, base64: the exchange signs login tokens with it. */
  readonly exchangeTokenKey: string;
  readonly stripeSecretKey: string;
  readonly stripeWebhookSecret: string;
  /** What the service shows the sandbox's OpenID provider. */
  readonly googleClientId: string;
  readonly googleClientSecret: string;
  /** 32 bytes, base64: the service's own secret, mixed into passwords and the links of mails. */
  readonly serviceSecret: string;
}

/**
 * Takes a data directory for this process alone and reads (or makes) its secrets.
 * @throws DataDirectoryError while another process holds it
 */
export function openDataDirectory(where: string): DataDirectory {
  const path = resolve(where);
  try {
    mkdirSync(path, { recursive: true, mode: 0o711 });
  } catch (error) {
    throw new DataDirectoryError(`The data directory ${path} cannot be made: ${(error as Error).message}.`);
  }
  const lock = take(path);
  return { path, secrets: readSecrets(join(path, "secrets.json")), release: () => lock.close() };
}

/** The same without taking it, for commands that only read: what is not there yet is made for this process alone. */
export function readDataDirectory(where: string): Omit<DataDirectory, "release"> {
  const path = resolve(where);
  return { path, secrets: readStored(join(path, "secrets.json")).secrets };
}

/**
 * Node has no call for a file lock of the operating system, which alone ends with its process however that dies. SQLite,
 * which comes with Node, takes exactly such a lock for an exclusive transaction; nothing is ever written in it.
 */
function take(path: string): DatabaseSync {
  const holder = join(path, "lock.pid");
  const lock = new DatabaseSync(join(path, "lock"), { timeout: 0 });
  try {
    lock.exec("BEGIN EXCLUSIVE");
  } catch (error) {
    lock.close();
    if ((error as { errcode?: number }).errcode !== SQLITE_BUSY) throw error;
    const who = existsSync(holder) ? ` (process ${readFileSync(holder, "utf8")})` : "";
    throw new DataDirectoryError(
      `Farline already runs on ${path}${who}. Stop it, or start this one with another DATA_DIR and PORT.`,
    );
  }
  writeFileSync(holder, String(process.pid));
  return lock;
}

/** Reads the keys; those an older version did not know are made now. */
function readSecrets(file: string): Secrets {
  const { secrets, complete } = readStored(file);
  if (complete) return secrets;
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, JSON.stringify(secrets, null, 2), { mode: 0o600 });
  renameSync(draft, file);
  return secrets;
}

function readStored(file: string): { secrets: Secrets; complete: boolean } {
  const stored = existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as Partial<Secrets>) : {};
  const secrets: Secrets = { ...newSecrets(), ...stored };
  return { secrets, complete: Object.keys(secrets).every((name) => name in stored) };
}

function newSecrets(): Secrets {
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
