import { createHmac, randomBytes, randomUUID } from "node:crypto";
import { jwtVerify, SignJWT, type JWTPayload } from "jose";

/** A login token is valid for this long, or until its credential expires if that is sooner. */
export const TOKEN_LIFETIME_SECS = 24 * 60 * 60;
const MAX_REMOVED = 100_000;
const issuer = "farline-exchange";

/** Permission for one customer's browsers to sign in. */
export interface Credential {
  readonly id: string;
  readonly username: string;
  /** Null: never. */
  readonly expiresAt: Date | null;
}

export interface SignedIn {
  readonly credentialId: string;
  readonly username: string;
  readonly tokenExpiresAt: Date;
}

/**
 * Browser credentials without a store: the id itself carries the expiry and proves with a MAC that we made it, so credentials and
 * tokens outlive a restart. Only removals are remembered, in memory.
 */
export class Credentials {
  readonly #key: Uint8Array;
  readonly #removed = new Set<string>();

  /** @param key 32 secret bytes; signs ids and tokens. */
  constructor(key: Uint8Array) {
    this.#key = key;
  }

  create(expiresAt: Date | null): Credential {
    const body = Buffer.alloc(10);
    body.writeUInt32BE(expiresAt === null ? 0 : Math.floor(expiresAt.getTime() / 1000));
    randomBytes(6).copy(body, 4);
    return this.#credential(this.#seal(body), expiresAt);
  }

  /** The credential of an id; null when it is not one of ours or was removed. An expired one is found. */
  find(id: string): Credential | null {
    const hex = id.replaceAll("-", "");
    if (!/^[0-9a-f]{32}$/.test(hex) || this.#removed.has(id)) return null;
    const body = Buffer.from(hex, "hex").subarray(0, 10);
    body[6] = (body[6] ?? 0) & 0x0f;
    body[8] = (body[8] ?? 0) & 0x3f;
    if (this.#seal(body) !== id) return null;
    const seconds = body.readUInt32BE(0);
    return this.#credential(id, seconds === 0 ? null : new Date(seconds * 1000));
  }

  /** Revokes its tokens. */
  remove(id: string): void {
    const oldest = this.#removed.values().next();
    if (this.#removed.size >= MAX_REMOVED && oldest.value !== undefined) this.#removed.delete(oldest.value);
    this.#removed.add(id);
  }

  /** A login token (JWT, HS256); null when the credential has expired. */
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
      .sign(this.#key);
  }

  /** Who a login token signs in; null when it is forged, expired, or its credential is gone. */
  async verifyToken(token: string): Promise<SignedIn | null> {
    let payload: JWTPayload;
    try {
      ({ payload } = await jwtVerify(token, this.#key, { algorithms: ["HS256"], issuer, requiredClaims: ["exp", "sub"] }));
    } catch {
      // jose rejects for every fault of a token; to the browser they are all the same.
      return null;
    }
    const credential = this.find(payload.sub ?? "");
    if (credential === null) return null;
    return { credentialId: credential.id, username: credential.username, tokenExpiresAt: new Date((payload.exp ?? 0) * 1000) };
  }

  /** 10 bytes and 6 of their MAC, written as a version 8 UUID (RFC 9562 §5.8). */
  #seal(body: Buffer): string {
    const bytes = Buffer.concat([body, Buffer.alloc(6)]);
    bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x80;
    bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
    createHmac("sha256", this.#key).update("credential").update(bytes.subarray(0, 10)).digest().copy(bytes, 10, 0, 6);
    const hex = bytes.toString("hex");
    return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
  }

  #credential(id: string, expiresAt: Date | null): Credential {
    return { id, username: `gencred${id.replaceAll("-", "").slice(8)}`, expiresAt };
  }
}
