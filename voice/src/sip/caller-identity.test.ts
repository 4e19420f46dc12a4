import { createSocket } from "node:dgram";
import { afterEach, describe, expect, it } from "vitest";
import { fieldOf, replyTo, startSocketCarrier } from "../../test/socket-carrier.ts";
import { refusingCarrier } from "../../test/scenarios/refusals.ts";
import { answeringCarrier } from "../../test/scenarios/scenario.ts";
import { dial, EXCHANGE_NUMBER, SipBench, trunkTo } from "../../test/sip-bench.ts";
import type { TrunkConfig } from "./trunk.ts";

const CUSTOMERS = "+13035550100";
const bench = new SipBench();
afterEach(() => bench.end());

/** A carrier that responds with 486, and the INVITE it received. */
async function listener(): Promise<{ port: number; invite: Promise<string> }> {
  const socket = createSocket("udp4");
  await new Promise<void>((resolve) => socket.bind(0, "127.0.0.1", resolve));
  bench.add(() => new Promise<void>((resolve) => socket.close(() => resolve())));
  const invite = new Promise<string>((resolve) =>
    socket.once("message", (datagram, { port, address }) => {
      const [, ...headers] = String(datagram).split("\r\n");
      const kept = headers.filter((line) => /^(?:via|from|to|call-id|cseq):/i.test(line));
      const answer = ["SIP/2.0 486 Busy Here", ...kept, "Content-Length: 0", "", ""]
        .join("\r\n")
        .replace(/^(To:.*)$/im, "$1;tag=busy");
      socket.send(answer, port, address);
      resolve(String(datagram));
    }),
  );
  return { port: socket.address().port, invite };
}

function identityIn(invite: string): { from: string | undefined; asserted: string | undefined } {
  return {
    from: /^From:.*<sip:([^@]+)@/im.exec(invite)?.[1],
    asserted: /^P-Asserted-Identity: (.*)\r$/im.exec(invite)?.[1],
  };
}

describe("an INVITE with a customer's number", () => {
  it.each([
    ["from_and_asserted", { from: CUSTOMERS, asserted: `<sip:${CUSTOMERS}@127.0.0.1;user=phone>` }],
    ["asserted", { from: EXCHANGE_NUMBER, asserted: `<sip:${CUSTOMERS}@127.0.0.1;user=phone>` }],
    ["never", { from: EXCHANGE_NUMBER, asserted: undefined }],
  ] as const)("follows the trunk's rule %s", async (customerNumbers, identity) => {
    const carrier = await listener();
    dial(await bench.trunks([trunkTo(carrier.port, { customerNumbers })]), { from: CUSTOMERS });
    expect(identityIn(await carrier.invite)).toEqual(identity);
  });

  it("has no P-Asserted-Identity for the exchange's own number", async () => {
    const carrier = await listener();
    dial(await bench.trunks([trunkTo(carrier.port, { customerNumbers: "from_and_asserted" })]));
    expect(identityIn(await carrier.invite)).toEqual({ from: EXCHANGE_NUMBER, asserted: undefined });
  });

  it("reports the number shown, also after a fail-over", async () => {
    const broken = await bench.carrier(refusingCarrier("503 Service Unavailable"));
    const good = await bench.carrier(answeringCarrier);
    const trunks = await bench.trunks([trunkTo(broken.port, { customerNumbers: "asserted" }), trunkTo(good.port)]);
    const { call, shown } = dial(trunks, { from: CUSTOMERS });
    expect(await shown).toBe(EXCHANGE_NUMBER);
    await call.hangUp();
    await good.done;
  });
});

describe("an INVITE", () => {
  async function inviteWith(trunk: Partial<TrunkConfig>, from = EXCHANGE_NUMBER): Promise<(name: string) => string> {
    const carrier = await listener();
    dial(await bench.trunks([trunkTo(carrier.port, trunk)]), { from });
    const invite = await carrier.invite;
    return (name) => (name === "" ? (invite.split("\r\n")[0] ?? "") : fieldOf(invite, name)).replaceAll(`:${carrier.port}`, "");
  }

  it("names the account in From, and the number in P-Asserted-Identity if the carrier trusts it", async () => {
    const account = { fromUser: "account7", fromDomain: "carrier.example" };
    const plain = await inviteWith(account);
    expect([plain("From"), plain("P-Asserted-Identity")]).toEqual([
      expect.stringMatching(/^"Ann" <sip:account7@carrier.example>;tag=/),
      "",
    ]);
    const trusted = await inviteWith({ ...account, customerNumbers: "asserted" });
    expect(trusted("P-Asserted-Identity")).toBe(`<sip:${EXCHANGE_NUMBER}@carrier.example;user=phone>`);
    const customers = await inviteWith({ ...account, customerNumbers: "from_and_asserted" }, CUSTOMERS);
    expect(customers("From")).toContain(`<sip:${CUSTOMERS}@carrier.example>`);
  });

  it("marks numbers with user=phone if the trunk requires it", async () => {
    const field = await inviteWith({ userPhone: true });
    expect(field("")).toBe("INVITE sip:+447400123456@127.0.0.1;user=phone SIP/2.0");
    expect(field("To")).toBe("<sip:+447400123456@127.0.0.1;user=phone>");
    expect(field("From")).toContain(`<sip:${EXCHANGE_NUMBER}@127.0.0.1;user=phone>`);
  });

  it("of an anonymous caller contains no name, and the number only for trusted carriers", async () => {
    const hidden = await inviteWith({ privacy: "id", fromUser: "account7" }, "anonymous");
    expect(hidden("From")).toMatch(/^"Anonymous" <sip:anonymous@anonymous\.invalid>;tag=/);
    expect([hidden("Privacy"), hidden("P-Asserted-Identity")]).toEqual(["id", ""]);
    const trusted = await inviteWith({ privacy: "id", customerNumbers: "asserted" }, "anonymous");
    expect(trusted("P-Asserted-Identity")).toBe(`<sip:${EXCHANGE_NUMBER}@127.0.0.1;user=phone>`);
    const plain = await inviteWith({}, "anonymous");
    expect(plain("From")).toMatch(/^"Anonymous" <sip:anonymous@127\.0\.0\.1>;tag=/);
    expect(plain("Privacy")).toBe("");
  });
});

describe("digest credentials", () => {
  const account = { username: "farline", password: "secret" };

  /** Challenges each INVITE without the current nonce. A nonce is valid for `uses` INVITEs. */
  async function challenger(status: 401 | 407, uses: number) {
    const name = status === 401 ? ["WWW-Authenticate", "Authorization"] : ["Proxy-Authenticate", "Proxy-Authorization"];
    let nonce = 1;
    let left = uses;
    const far = await startSocketCarrier("udp", (message, send) => {
      if (!message.startsWith("INVITE ")) return;
      const used = /nonce="(\d+)"/.exec(fieldOf(message, name[1] ?? ""))?.[1];
      if (used === String(nonce) && left > 0) {
        left -= 1;
        return send(replyTo(message, "486 Busy Here"));
      }
      if (left === 0) nonce += 1;
      left = uses;
      const stale = used === undefined ? "" : ",stale=true";
      send(
        replyTo(message, `${status} Unauthorized`, {
          headers: [`${name[0]}: Digest realm="c",nonce="${nonce}",qop="auth"${stale}`],
        }),
      );
    });
    bench.add(() => far.close());
    return {
      far,
      uses: () => far.heard.filter((message) => message.startsWith("INVITE ")).map((message) => fieldOf(message, name[1] ?? "")),
    };
  }

  it.each([401, 407] as const)("are sent with the next INVITE after a %i, until their nonce is stale", async (status) => {
    const { far, uses } = await challenger(status, 2);
    const trunks = await bench.trunks([trunkTo(far.port, account)]);
    for (let i = 0; i < 3; i += 1) expect(await dial(trunks).ended).toMatchObject({ sipStatus: 486 });
    expect(uses().map((header) => `${/nonce="(\d+)"/.exec(header)?.[1]} ${/nc=(\d+)/.exec(header)?.[1]}`)).toEqual([
      "undefined undefined",
      "1 00000001",
      "1 00000002",
      "1 00000003",
      "2 00000001",
    ]);
  });
});
