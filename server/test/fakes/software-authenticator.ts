import { createHash, generateKeyPairSync, randomBytes, sign, type KeyObject } from "node:crypto";

const FLAGS = { present: 0x01, verified: 0x04, backupEligible: 0x08, backedUp: 0x10, credential: 0x40 };

interface Credential {
  readonly id: Buffer;
  readonly rpId: string;
  readonly userHandle: string;
  readonly key: KeyObject;
  signCount: number;
}

/** Faults to simulate. */
interface Forgery {
  origin?: string;
  rpId?: string;
  challenge?: string;
  type?: string;
  /** The user was not verified. */
  unverified?: boolean;
  /** Signs with another key. */
  wrongKey?: boolean;
  userHandle?: string;
  /** Uses an earlier counter, as a cloned authenticator would. */
  signCount?: number;
}

/** A browser with a WebAuthn authenticator (§6): creates discoverable ES256 passkeys and signs with them. */
export class SoftwareAuthenticator {
  readonly #origin: string;
  readonly credentials: Credential[] = [];

  constructor(origin: string) {
    this.#origin = origin;
  }

  /** @param options `PublicKeyCredentialCreationOptionsJSON` */
  create(options: Record<string, any>, lie: Forgery = {}) {
    const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    const { x = "", y = "" } = publicKey.export({ format: "jwk" });
    const credential = {
      id: randomBytes(32),
      rpId: options["rp"].id,
      userHandle: options["user"].id,
      key: privateKey,
      signCount: 0,
    };
    this.credentials.push(credential);
    const coseKey = cbor(
      new Map<unknown, unknown>([
        [1, 2],
        [3, -7],
        [-1, 1],
        [-2, Buffer.from(x, "base64url")],
        [-3, Buffer.from(y, "base64url")],
      ]),
    );
    const length = Buffer.alloc(2);
    length.writeUInt16BE(credential.id.length);
    const authData = Buffer.concat([
      this.#head(credential, FLAGS.credential, lie),
      Buffer.alloc(16),
      length,
      credential.id,
      coseKey,
    ]);
    const attestation = new Map<unknown, unknown>([
      ["fmt", "none"],
      ["attStmt", new Map()],
      ["authData", authData],
    ]);
    return {
      ...named(credential.id),
      response: {
        clientDataJSON: this.#clientData("webauthn.create", options["challenge"], lie).toString("base64url"),
        attestationObject: cbor(attestation).toString("base64url"),
        transports: ["internal"],
      },
    };
  }

  /** @param options `PublicKeyCredentialRequestOptionsJSON` */
  get(options: Record<string, any>, lie: Forgery = {}) {
    const credential = this.credentials.at(-1);
    if (credential === undefined) throw new Error("There is no passkey here.");
    credential.signCount = lie.signCount ?? credential.signCount + 1;
    const clientData = this.#clientData("webauthn.get", options["challenge"], lie);
    const authData = this.#head(credential, 0, lie);
    const key = lie.wrongKey ? generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey : credential.key;
    const signature = sign("sha256", Buffer.concat([authData, sha256(clientData)]), key);
    return {
      ...named(credential.id),
      response: {
        clientDataJSON: clientData.toString("base64url"),
        authenticatorData: authData.toString("base64url"),
        signature: signature.toString("base64url"),
        userHandle: lie.userHandle ?? credential.userHandle,
      },
    };
  }

  #clientData(type: string, challenge: string, lie: Forgery): Buffer {
    const data = {
      type: lie.type ?? type,
      challenge: lie.challenge ?? challenge,
      origin: lie.origin ?? this.#origin,
      crossOrigin: false,
    };
    return Buffer.from(JSON.stringify(data));
  }

  #head(credential: Credential, flags: number, lie: Forgery): Buffer {
    const verified = lie.unverified ? 0 : FLAGS.verified;
    const count = Buffer.alloc(4);
    count.writeUInt32BE(credential.signCount);
    const all = flags | FLAGS.present | verified | FLAGS.backupEligible | FLAGS.backedUp;
    return Buffer.concat([sha256(Buffer.from(lie.rpId ?? credential.rpId)), Buffer.from([all]), count]);
  }
}

function named(id: Buffer) {
  const text = id.toString("base64url");
  return { id: text, rawId: text, type: "public-key", authenticatorAttachment: "platform", clientExtensionResults: {} };
}

function sha256(data: Buffer): Buffer {
  return createHash("sha256").update(data).digest();
}

/** The subset of CBOR (RFC 8949) that an attestation needs: integers, texts, bytes, maps. */
function cbor(value: unknown): Buffer {
  if (typeof value === "number") return value >= 0 ? head(0, value) : head(1, -1 - value);
  if (typeof value === "string") return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)]);
  if (Buffer.isBuffer(value)) return Buffer.concat([head(2, value.length), value]);
  if (value instanceof Map)
    return Buffer.concat([head(5, value.size), ...[...value].flatMap(([key, entry]) => [cbor(key), cbor(entry)])]);
  throw new TypeError("Unsupported CBOR value.");
}

function head(major: number, length: number): Buffer {
  if (length < 24) return Buffer.from([(major << 5) | length]);
  if (length < 256) return Buffer.from([(major << 5) | 24, length]);
  return Buffer.from([(major << 5) | 25, length >> 8, length & 255]);
}
