import { fc, test } from "@fast-check/vitest";
import { describe, expect, it } from "vitest";
import type { SipRequest, SipResponse } from "../message/message.ts";
import { responseTo } from "../message/response.ts";
import { parseAuthValues, writeChallenge, writeCredentials } from "./challenge.ts";
import { DigestClient } from "./digest-client.ts";
import { digestResponse } from "./digest-response.ts";
import { DigestServer } from "./digest-server.ts";

const URI = "sip:+442079460000@carrier.example:5070;user=phone";
const ACCOUNT = { username: "trunk", password: "secret" };

function request(headers: ReadonlyMap<string, readonly string[]> = new Map()): SipRequest {
  return {
    kind: "request",
    method: "INVITE",
    uri: URI,
    vias: [],
    from: { display: "", uri: "sip:a", parameters: new Map() },
    to: { display: "", uri: "sip:b", parameters: new Map() },
    callId: "c",
    cseq: { number: 1, method: "INVITE" },
    headers,
    body: new Uint8Array(),
  };
}

function respond(status: number, headers: Record<string, readonly string[]> = {}): SipResponse {
  return responseTo(request(), status, "", { toTag: "t", headers: new Map(Object.entries(headers)) });
}

function server(algorithms: readonly string[] = ["SHA-256", "MD5"], realm = "carrier.example"): DigestServer {
  let nonces = 0;
  return new DigestServer({
    realm,
    algorithms,
    passwordOf: (username) => (username === ACCOUNT.username ? ACCOUNT.password : null),
    newNonce: () => `nonce-${realm}-${(nonces += 1)}`,
  });
}

function client(password = ACCOUNT.password): DigestClient {
  let cnonces = 0;
  return new DigestClient({ ...ACCOUNT, password }, () => `cnonce-${(cnonces += 1)}`);
}

function parametersOf(headers: ReadonlyMap<string, readonly string[]>, name = "authorization"): Record<string, string> {
  return Object.fromEntries(parseAuthValues(headers.get(name) ?? [])[0]?.parameters ?? []);
}

describe("the digest", () => {
  const mufasa = {
    username: "Mufasa",
    password: "Circle of Life",
    realm: "http-auth@example.org",
    nonce: "7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v",
    method: "GET",
    uri: "/dir/index.html",
    qop: { cnonce: "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ", nonceCount: "00000001" },
  };
  it.each([
    ["MD5", "8ca523f5e9506fed4657c9700eebdbec"],
    ["sha-256", "753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1"],
  ])("of %s equals the example of RFC 7616 §3.9.1", (algorithm, expected) => {
    expect(digestResponse({ ...mufasa, algorithm })).toBe(expected);
  });

  it("without qop equals the example of RFC 2069 as corrected", () => {
    const input = {
      ...mufasa,
      password: "CircleOfLife",
      realm: "testrealm@host.com",
      nonce: "dcd98b7102dd2f0e8b11d0f600bfb0c093",
      qop: null,
    };
    expect(digestResponse({ ...input, algorithm: "MD5" })).toBe("1949323746fe6a43ef61f9606e7febea");
  });

  it.each(["MD5", "SHA-256", "SHA-512-256", "MD5-sess", "SHA-256-sess", "SHA-512-256-sess"])(
    "of %s is accepted by a server that demands it, for each of several requests",
    (algorithm) => {
      const [far, near] = [server([algorithm]), client()];
      const first = near.begin(request());
      expect(first.headers.size).toBe(0);
      expect(far.verify(request(), "authorization")).toBe("missing");
      expect(first.next(respond(401, { "www-authenticate": far.challenges() }))).toBe(true);
      expect(far.verify(request(first.headers), "authorization")).toBe("accepted");
      const second = near.begin(request());
      expect(parametersOf(second.headers)).toMatchObject({ nc: "00000002", uri: URI, algorithm });
      expect(far.verify(request(second.headers), "authorization")).toBe("accepted");
      expect(far.verify(request(second.headers), "authorization")).toBe("stale");
    },
  );
});

describe("challenges", () => {
  const plain = 'Digest realm="r", nonce="n"';
  it("of several algorithms are answered by the strongest that we know, in any order", () => {
    const algorithms = ["MD5", "SHA-512-256", "SHA-256", "SHA-1024"];
    for (const order of [algorithms, algorithms.toReversed()]) {
      const attempt = client().begin(request());
      attempt.next(respond(401, { "www-authenticate": order.map((algorithm) => `${plain}, algorithm=${algorithm}`) }));
      expect(attempt.headers.get("authorization")).toHaveLength(1);
      expect(parametersOf(attempt.headers)["algorithm"]).toBe("SHA-512-256");
    }
  });

  it("may stand in one header, with a scheme that is not ours", () => {
    const attempt = client().begin(request());
    expect(
      attempt.next(respond(401, { "www-authenticate": [`Basic realm="x", ${plain}, algorithm=MD5, qop="auth-int,auth"`] })),
    ).toBe(true);
    expect(parametersOf(attempt.headers)).toMatchObject({ realm: "r", qop: "auth" });
  });

  it("without qop and algorithm are answered without both", () => {
    const attempt = client().begin(request());
    attempt.next(respond(401, { "www-authenticate": [plain] }));
    expect(Object.keys(parametersOf(attempt.headers))).toEqual(["username", "realm", "nonce", "uri", "response"]);
  });

  it.each([
    ["an unknown algorithm", `${plain}, algorithm=SHA-1024`],
    ["only auth-int", `${plain}, qop="auth-int"`],
    ["no nonce", 'Digest realm="r"'],
    ["another scheme", 'Basic realm="r"'],
    ["nothing readable", 'Digest realm="r'],
  ])("with %s are not answered", (_what, challenge) => {
    expect(
      client()
        .begin(request())
        .next(respond(401, { "www-authenticate": [challenge] })),
    ).toBe(false);
  });

  it("of a proxy and of the server at once are both answered", () => {
    const [proxy, far] = [server(["MD5"], "proxy"), server(["SHA-256"], "far")];
    const attempt = client().begin(request());
    const both = { "proxy-authenticate": proxy.challenges(), "www-authenticate": far.challenges() };
    expect(attempt.next(respond(401, both))).toBe(true);
    expect(proxy.verify(request(attempt.headers), "proxy-authorization")).toBe("accepted");
    expect(far.verify(request(attempt.headers), "authorization")).toBe("accepted");
  });

  it("of a proxy and then of the server are answered in turn", () => {
    const [proxy, far] = [server(["MD5"], "proxy"), server(["MD5"], "far")];
    const attempt = client().begin(request());
    expect(attempt.next(respond(407, { "proxy-authenticate": proxy.challenges() }))).toBe(true);
    expect(proxy.verify(request(attempt.headers), "proxy-authorization")).toBe("accepted");
    expect(attempt.next(respond(401, { "www-authenticate": far.challenges() }))).toBe(true);
    // The proxy sees its nonce a second time.
    expect(parametersOf(attempt.headers, "proxy-authorization")["nc"]).toBe("00000002");
    expect(proxy.verify(request(attempt.headers), "proxy-authorization")).toBe("accepted");
    expect(far.verify(request(attempt.headers), "authorization")).toBe("accepted");
  });

  it("with a stale nonce are answered again, but not for ever", () => {
    const far = server();
    const attempt = client().begin(request());
    let sent = 1;
    for (let round = 0; round < 20 && attempt.next(respond(401, { "www-authenticate": far.challenges(round > 0) })); round += 1)
      sent += 1;
    expect(sent).toBe(5);
  });
});

describe("refused credentials", () => {
  it("end the attempt if they answered the challenge, and are not used again", () => {
    const [far, near] = [server(), client("wrong")];
    const attempt = near.begin(request());
    expect(attempt.next(respond(401, { "www-authenticate": far.challenges() }))).toBe(true);
    expect(far.verify(request(attempt.headers), "authorization")).toBe("wrong");
    expect(attempt.next(respond(401, { "www-authenticate": far.challenges() }))).toBe(false);
    expect(near.begin(request()).headers.size).toBe(0);
  });

  it("of an earlier request are left out once after a 403", () => {
    const [far, near] = [server(), client()];
    near.begin(request()).next(respond(401, { "www-authenticate": far.challenges() }));
    const attempt = near.begin(request());
    expect(attempt.headers.size).toBe(1);
    expect(attempt.next(respond(403))).toBe(true);
    expect(attempt.headers.size).toBe(0);
    expect(attempt.next(respond(403))).toBe(false);
    expect(near.begin(request()).headers.size).toBe(0);
  });

  it("of an earlier request answer a new challenge, then a second refusal is final", () => {
    const [far, near] = [server(), client()];
    near.begin(request()).next(respond(401, { "www-authenticate": far.challenges() }));
    const attempt = near.begin(request());
    expect(attempt.next(respond(401, { "www-authenticate": far.challenges() }))).toBe(true);
    expect(far.verify(request(attempt.headers), "authorization")).toBe("accepted");
    expect(attempt.next(respond(403))).toBe(false);
  });

  it("are not repeated for a response of another kind", () => {
    expect(client().begin(request()).next(respond(486))).toBe(false);
    expect(client().begin(request()).next(respond(403))).toBe(false);
  });
});

describe("a nonce", () => {
  it("is replaced after a thousand uses", () => {
    const near = client();
    near.begin(request()).next(respond(401, { "www-authenticate": server().challenges() }));
    let uses = 1;
    while (near.begin(request()).headers.size > 0) uses += 1;
    expect(uses).toBe(1_000);
  });
});

describe("the server refuses", () => {
  const far = server();
  const attempt = client().begin(request());
  attempt.next(respond(401, { "www-authenticate": far.challenges() }));
  const changed = (change: Record<string, string>): SipRequest =>
    request(
      new Map([
        [
          "authorization",
          [
            writeCredentials({
              scheme: "digest",
              parameters: new Map(Object.entries({ ...parametersOf(attempt.headers), ...change })),
            }),
          ],
        ],
      ]),
    );
  it.each([
    ["another URI", { uri: "sip:+442079460000@carrier.example" }],
    ["another response", { response: "0".repeat(64) }],
    ["a short response", { response: "0" }],
    ["an unknown user", { username: "other" }],
    ["an algorithm that was not offered", { algorithm: "SHA-512-256" }],
    ["a changed count", { nc: "00000002" }],
    ["a malformed count", { nc: "1" }],
    ["another qop", { qop: "auth-int" }],
  ])("%s", (_what, change) => {
    expect(far.verify(changed(change), "authorization")).toBe("wrong");
  });

  it("an unknown nonce as stale, and another realm as missing", () => {
    expect(server().verify(request(attempt.headers), "authorization")).toBe("stale");
    expect(server(["MD5"], "other").verify(request(attempt.headers), "authorization")).toBe("missing");
  });
});

const parameters = fc
  .dictionary(
    fc.constantFrom("realm", "nonce", "opaque", "domain"),
    fc.string({ unit: "grapheme" }).map((text) => text.toWellFormed()),
  )
  .map((entries) => new Map(Object.entries(entries)))
  .filter(({ size }) => size > 0);

test.prop([parameters, parameters])("challenges are read as they were written, also two in one header", (one, other) => {
  const challenges = [one, other].map((each) => ({ scheme: "digest", parameters: each }));
  const written = challenges.map(writeChallenge);
  expect(parseAuthValues(written)).toEqual(challenges);
  expect(parseAuthValues([written.join(", ")])).toEqual(challenges);
});

test.prop([fc.string({ unit: fc.constantFrom(...'Digest =,"\\a<>\t') })])("malformed challenges never throw", (text) => {
  parseAuthValues([text]);
});
