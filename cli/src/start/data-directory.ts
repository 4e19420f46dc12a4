import { execFileSync } from "node:child_process";
import { createHash, generateKeyPairSync, randomBytes } from "node:crypto";
import { existsSync, linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";

/** The data directory cannot be used. The message is one clear sentence. */
export class DataDirectoryError extends Error {}

export interface DataDirectory {
  readonly path: string;
  readonly secrets: Secrets;
  /** Gives the directory back. */
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
}

/**
 * Takes a data directory for this process alone and reads (or makes) its secrets.
 * @throws DataDirectoryError while another process that is alive holds it
 */
export function openDataDirectory(where: string): DataDirectory {
  const path = resolve(where);
  try {
    mkdirSync(path, { recursive: true, mode: 0o711 });
  } catch (error) {
    throw new DataDirectoryError(`The data directory ${path} cannot be made: ${(error as Error).message}.`);
  }
  const lock = join(path, "lock.json");
  take(lock, path);
  return { path, secrets: readSecrets(join(path, "secrets.json")), release: () => rmSync(lock, { force: true }) };
}

interface Holder {
  readonly pid: number;
  /** Tells a process from a later one with the same number. */
  readonly startedAt: string;
}

/** The lock appears whole or not at all: written beside, then linked, and link(2) fails when the name is taken. */
function take(lock: string, path: string): void {
  const mine: Holder = { pid: process.pid, startedAt: startOf(process.pid) ?? "" };
  const draft = `${lock}.${process.pid}`;
  writeFileSync(draft, JSON.stringify(mine), { mode: 0o600 });
  try {
    for (let attempt = 0; attempt < 3; attempt++) {
      try {
        linkSync(draft, lock);
        return;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
      }
      const holder = readHolder(lock);
      if (holder && startOf(holder.pid) === holder.startedAt)
        throw new DataDirectoryError(`Farline already runs on ${path} (process ${holder.pid}). Stop it, or start this one with another DATA_DIR and PORT.`);
      setAside(lock, holder);
    }
    throw new DataDirectoryError(`The data directory ${path} is being taken by another process. Try again.`);
  } finally {
    rmSync(draft, { force: true });
  }
}

/** Removes a dead holder's lock. Renamed to a name made from its content: of two that try, only one moves this very lock. */
function setAside(lock: string, holder: Holder | null): void {
  const grave = `${lock}.${createHash("sha256").update(JSON.stringify(holder)).digest("hex").slice(0, 12)}`;
  try {
    renameSync(lock, grave);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
  rmSync(grave, { force: true });
}

function readHolder(lock: string): Holder | null {
  try {
    return JSON.parse(readFileSync(lock, "utf8")) as Holder;
  } catch {
    return null; // vanished meanwhile, or not ours: nobody alive can be named
  }
}

/** When the process started, in the system's own words; null when there is none or it is only waiting to be reaped. */
function startOf(pid: number): string | null {
  try {
    if (process.platform !== "linux") return execFileSync("ps", ["-o", "lstart=", "-p", String(pid)]).toString().trim() || null;
    // proc(5): the fields after the last ")" are state (3rd) … starttime (22nd).
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.split(" ") ?? [];
    return fields[0] === "Z" ? null : (fields[19] ?? null);
  } catch {
    return null;
  }
}

function readSecrets(file: string): Secrets {
  if (existsSync(file)) return JSON.parse(readFileSync(file, "utf8")) as Secrets;
  const { privateKey, publicKey } = generateKeyPairSync("ed25519");
  const secrets: Secrets = {
    telnyxApiKey: `KEY${randomBytes(24).toString("hex")}`,
    connectionId: BigInt(`0x${randomBytes(7).toString("hex")}`).toString(),
    exchangeSigningKey: privateKey.export({ type: "pkcs8", format: "der" }).toString("base64"),
    exchangePublicKey: publicKey.export({ type: "spki", format: "der" }).subarray(-32).toString("base64"),
    exchangeTokenKey: randomBytes(32).toString("base64"),
    stripeSecretKey: `sk_test_${randomBytes(24).toString("hex")}`,
    stripeWebhookSecret: `whsec_${randomBytes(24).toString("hex")}`,
  };
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, JSON.stringify(secrets, null, 2), { mode: 0o600 });
  renameSync(draft, file);
  return secrets;
}
