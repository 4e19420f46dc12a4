import { createPrivateKey, createPublicKey, randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { newSecrets } from "../start/data-directory.ts";

/** A file with the value of a setting, by the setting's name. */
export interface KeyFile {
  readonly name: string;
  readonly file: string;
  /** False for a file that was there. */
  readonly made: boolean;
}

/**
 * Writes the keys that an installation of service, exchange and relay makes for itself, a file each, which only their owner may read.
 * Files that exist are kept, so that a second run adds what a newer version needs.
 * @throws Error if the folder or a file cannot be written, or if the signing key that is there cannot be read
 */
export function writeKeys(folder: string): KeyFile[] {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const made = newSecrets();
  const write = (name: string, value: string): KeyFile => {
    const file = join(folder, name);
    if (existsSync(file)) return { name, file, made: false };
    writeFileSync(file, `${value}\n`, { mode: 0o600, flag: "wx" });
    return { name, file, made: true };
  };
  return [
    write("SECRET_KEYS", `1:${made.serviceSecret}`),
    write("METRICS_TOKEN", randomBytes(32).toString("base64url")),
    write("TURN_SECRET", randomBytes(32).toString("base64url")),
    write("TELNYX_API_KEY", made.telnyxApiKey),
    write("TELNYX_CONNECTION_ID", made.connectionId),
    write("EXCHANGE_TOKEN_KEY", made.exchangeTokenKey),
    write("EXCHANGE_SIGNING_KEY", made.exchangeSigningKey),
    write("TELNYX_PUBLIC_KEY", publicKeysOf(readFileSync(join(folder, "EXCHANGE_SIGNING_KEY"), "utf8").split(",")).join(",")),
  ];
}

/** The service verifies with them what the exchange signs. @returns 32 bytes in base64 each */
export function publicKeysOf(signingKeys: readonly string[]): string[] {
  return signingKeys.map((one) => {
    const key = createPrivateKey({ key: Buffer.from(one, "base64"), format: "der", type: "pkcs8" });
    return createPublicKey(key).export({ type: "spki", format: "der" }).subarray(-32).toString("base64");
  });
}
