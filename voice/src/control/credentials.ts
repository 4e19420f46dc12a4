import { createHash, createHmac, randomBytes, randomUUID, timingSafeEqual } from "node:crypto";
import type { KeyList } from "@farline/contract/settings/setting.ts";
import { DAY_SECONDS } from "@farline/domain/durations.ts";
import { type JWTPayload, jwtVerify, SignJWT } from "jose";
import { dropOldest } from "../drop-oldest.ts";

/** A login token expires after this long, or with its credential. */
export const TOKEN_LIFETIME_SECS = DAY_SECONDS;
const MAX_REMOVED = 100_000;
const issuer = "farline-exchange";
const EXPIRY_BYTES = 4;
const RANDOM_BYTES = 3;
/** Tells the sessions of one account apart, of which there are few. */
const SESSION_BYTES = 3;
const ACCOUNT_BYTES = 12;
const BODY_BYTES = EXPIRY_BYTES + RANDOM_BYTES + SESSION_BYTES + ACCOUNT_BYTES;
const MAC_BYTES = 10;
const ID = new RegExp(`^[0-9a-f]{${(BODY_BYTES + MAC_BYTES) * 2}}$`);

/** Permission for one customer's browsers to sign in. */
export interface Credential {
  readonly id: string;
  /** The same for all credentials with one tag. Limits apply per account. */
  readonly accountId: string;
  /** The same for all credentials with one tag and name: one session of the account. */
  readonly sessionMark: string;
  readonly username: string;
  /** Null: never. */
  readonly expiresAt: Date | null;
}

export interface SignedIn {
  readonly credentialId: string;
  readonly accountId: string;
  readonly sessionMark: string;
  readonly username: string;
  readonly tokenExpiresAt: Date;
}

/**
 * Browser credentials without a store: the id contains the expiry, the account and a MAC, so credentials and tokens survive restarts.
 * Removals are kept in memory.
 */
export class Credentials {
  readonly #keys: KeyList<Uint8Array>;
  readonly #removed = new Set<string>();

  /** @param keys 32 secret bytes each, for ids and tokens */
  constructor(keys: KeyList<Uint8Array>) {
    this.#keys = keys;
  }

  /** @param by the account and its session; null for a new one */
  create(expiresAt: Date | null, by: { tag: string | null; name: string | null }): Credential {
    const expiry = Buffer.alloc(EXPIRY_BYTES);
    expiry.writeUInt32BE(expiresAt === null ? 0 : Math.floor(expiresAt.getTime() / 1000));
    const [key] = this.#keys;
    const account = by.tag === null ? randomBytes(ACCOUNT_BYTES) : markOf(key, "account", by.tag);
    const session = by.name === null ? randomBytes(SESSION_BYTES) : markOf(key, "session", by.name);
    return credentialOf(key, Buffer.concat([expiry, randomBytes(RANDOM_BYTES), session, account]));
  }

  /** Tells whether a credential is of the session with this name; of any session if it is undefined. */
  ofSession(name: string | undefined): (credential: Pick<Credential, "sessionMark">) => boolean {
    if (name === undefined) return () => true;
    const marks = this.#keys.map((key) => markOf(key, "session", name).toString("hex"));
    return ({ sessionMark }) => marks.includes(sessionMark);
  }

  /** Finds a credential, even an expired one; null if the id is invalid or was removed. */
  find(id: string): Credential | null {
    if (!ID.test(id) || this.#removed.has(id)) return null;
    const body = Buffer.from(id, "hex").subarray(0, BODY_BYTES);
    const made = this.#keys.map((key) => credentialOf(key, body));
    return made.find((one) => timingSafeEqual(Buffer.from(one.id), Buffer.from(id))) ?? null;
  }

  remove(id: string): void {
    this.#removed.add(id);
    dropOldest(this.#removed, MAX_REMOVED);
  }

  /** Issues a login token (JWT, HS256); null if the credential has expired. */
  async issueToken(credential: Credential): Promise<string | null> {
    const now = Math.floor(Date.now() / 1000);
    const end = credential.expiresAt === null ? Number.POSITIVE_INFINITY : Math.floor(credential.expiresAt.getTime() / 1000);
    if (end <= now) return null;
    return new SignJWT()
      .setProtectedHeader({ alg: "HS256", typ: "JWT" })
      .setIssuer(issuer)
      .setSubject(credential.id)
      .setJti(randomUUID())
      .setIssuedAt(now)
      .setExpirationTime(Math.min(now + TOKEN_LIFETIME_SECS, end))
      .sign(this.#keys[0]);
  }

  /** The account of a login token; null if it is invalid or expired, or its credential was removed. */
  async verifyToken(token: string): Promise<SignedIn | null> {
    const payload = await this.#payloadOf(token);
    if (payload === null) return null;
    const credential = this.find(payload.sub ?? "");
    if (credential === null) return null;
    const { id: credentialId, accountId, sessionMark, username } = credential;
    return { credentialId, accountId, sessionMark, username, tokenExpiresAt: new Date((payload.exp ?? 0) * 1000) };
  }

  async #payloadOf(token: string): Promise<JWTPayload | null> {
    for (const key of this.#keys)
      try {
        return (await jwtVerify(token, key, { algorithms: ["HS256"], issuer, requiredClaims: ["exp", "sub"] })).payload;
      } catch {
        // All faults of a token are treated alike.
      }
    return null;
  }
}

function credentialOf(key: Uint8Array, body: Buffer): Credential {
  const id = Buffer.concat([body, macOf(key, "credential", body).subarray(0, MAC_BYTES)]).toString("hex");
  const seconds = body.readUInt32BE(0);
  return {
    id,
    sessionMark: body.subarray(EXPIRY_BYTES + RANDOM_BYTES, -ACCOUNT_BYTES).toString("hex"),
    accountId: body.subarray(-ACCOUNT_BYTES).toString("hex"),
    username: `gencred${createHash("sha256").update(id).digest("hex").slice(0, 24)}`,
    expiresAt: seconds === 0 ? null : new Date(seconds * 1000),
  };
}

function markOf(key: Uint8Array, purpose: "account" | "session", of: string): Buffer {
  return macOf(key, purpose, Buffer.from(of)).subarray(0, purpose === "account" ? ACCOUNT_BYTES : SESSION_BYTES);
}

function macOf(key: Uint8Array, purpose: "account" | "session" | "credential", of: Buffer): Buffer {
  return createHmac("sha256", key).update(purpose).update(of).digest();
}
