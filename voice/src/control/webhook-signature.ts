import { createPrivateKey, sign, type KeyObject } from "node:crypto";

/** Reads an Ed25519 private key, PKCS#8 DER in base64. @throws for anything else */
export function readSigningKey(base64: string): KeyObject {
  const key = createPrivateKey({ key: Buffer.from(base64, "base64"), format: "der", type: "pkcs8" });
  if (key.asymmetricKeyType !== "ed25519") throw new Error("not an Ed25519 key");
  return key;
}

/** Signs `<unix seconds>|<body>` like the provider. */
export function signatureHeaders(key: KeyObject, body: string, at: Date): Record<string, string> {
  const timestamp = String(Math.floor(at.getTime() / 1000));
  return {
    "telnyx-timestamp": timestamp,
    "telnyx-signature-ed25519": sign(null, Buffer.from(`${timestamp}|${body}`), key).toString("base64"),
  };
}
