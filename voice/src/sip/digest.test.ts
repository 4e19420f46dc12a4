import { createHash } from "node:crypto";
import { IncomingResponseMessage, type OutgoingRequestMessage, URI } from "sip.js/lib/core/index.js";
import { describe, expect, it } from "vitest";
import { DigestCredentials, keepBestChallenge } from "./digest.ts";

const request = { method: "INVITE", ruri: new URI("sip", "+442079460000", "carrier.example", 5061) } as OutgoingRequestMessage;

function fieldsOf(header: string): Record<string, string> {
  return Object.fromEntries([...header.matchAll(/(\w+)="?([^",]*)"?/g)].map(([, name = "", value = ""]) => [name, value]));
}

describe("digest credentials", () => {
  it.each([
    ["MD5", "md5"],
    ["SHA-256", "sha256"],
  ])("answer %s by the formula of RFC 7616 §3.4.1, with the nonce count", (algorithm, hash) => {
    const credentials = new DigestCredentials("farline", "secret");
    const challenge = { algorithm, realm: "carrier", nonce: "abc", opaque: "xyz", qop: ["auth", "auth-int"] };
    const digest = (text: string): string => createHash(hash).update(text).digest("hex");
    for (const nc of ["00000001", "00000002"]) {
      expect(credentials.authenticate(request, challenge)).toBe(true);
      const fields = fieldsOf(credentials.toString());
      expect(fields).toMatchObject({
        algorithm,
        nc,
        qop: "auth",
        uri: "sip:+442079460000@carrier.example:5061",
      });
      const requestHash = digest(`INVITE:${fields["uri"]}`);
      expect(fields["response"]).toBe(
        digest(`${digest("farline:carrier:secret")}:abc:${nc}:${fields["cnonce"]}:auth:${requestHash}`),
      );
    }
  });

  it("answer a challenge without qop, but no unknown algorithm", () => {
    const credentials = new DigestCredentials("farline", "secret");
    expect(credentials.authenticate(request, { realm: "carrier", nonce: "abc" })).toBe(true);
    expect(credentials.toString()).not.toContain("qop");
    for (const challenge of [{ realm: "carrier", nonce: "abc", algorithm: "AKAv1-MD5" }, { realm: "carrier" }, { nonce: "abc" }])
      expect(credentials.authenticate(request, challenge)).toBe(false);
    expect(credentials.authenticate(request, { realm: "carrier", nonce: "abc", qop: ["auth-int"] })).toBe(false);
  });

  it("contain the URI exactly as in the request line", () => {
    const ruri = new URI("sip", "+442079460000", "SIP.Carrier.example", 5061, { user: "phone" });
    const credentials = new DigestCredentials("farline", "secret");
    credentials.authenticate({ method: "INVITE", ruri }, { realm: "carrier", nonce: "abc" });
    expect(fieldsOf(credentials.toString())["uri"]).toBe("sip:+442079460000@SIP.Carrier.example:5061;user=phone");
  });

  it.each([[["MD5", "SHA-256"]], [["SHA-256", "MD5"]], [["AKAv1-MD5", "SHA-256", "MD5"]]])(
    "answer the strongest of %s",
    (algorithms) => {
      const response = new IncomingResponseMessage();
      for (const algorithm of algorithms)
        response.addHeader("WWW-Authenticate", `Digest realm="c",nonce="n",algorithm=${algorithm}`);
      keepBestChallenge(response);
      expect(response.getHeaders("www-authenticate")).toEqual([`Digest realm="c",nonce="n",algorithm=SHA-256`]);
    },
  );
});
