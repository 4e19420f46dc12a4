import { createHash } from "node:crypto";
import { responseTo } from "@farline/sip/message/response.ts";
import * as samples from "@farline/sip/test/message-samples.ts";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type CarrierHandler, fieldOf, type SocketCarrier, replyTo, startSocketCarrier } from "../../../test/socket-carrier.ts";
import { silentLog } from "../../../test/scripted-ports.ts";
import { SipBench, trunkTo } from "../../../test/sip-bench.ts";
import { registrarAnswer } from "./register-requests.ts";
import { type RegistrarAnswer, Registration } from "./registration.ts";

const MINUTE_MS = 60_000;
const nothing = { grantedSeconds: null, minSeconds: null, retryAfterSeconds: null };
const granted = (grantedSeconds: number): RegistrarAnswer => ({ ...nothing, status: 200, grantedSeconds });
const refused = (status: number, minSeconds: number | null = null): RegistrarAnswer => ({ ...nothing, status, minSeconds });

describe("a registration", () => {
  const requests: { seconds: number; atMs: number }[] = [];
  let answers: (RegistrarAnswer | null)[];
  let registration: Registration;
  beforeEach(() => {
    vi.useFakeTimers();
    const beganMs = Date.now();
    requests.length = 0;
    registration = new Registration({
      log: silentLog,
      send: async (seconds) => {
        requests.push({ seconds, atMs: Date.now() - beganMs });
        return answers.length > 1 ? (answers.shift() ?? null) : (answers[0] ?? null);
      },
    });
  });
  afterEach(async () => {
    await registration.stop();
    vi.useRealTimers();
  });
  const pass = (ms: number): Promise<unknown> => vi.advanceTimersByTimeAsync(ms);
  const times = (): number[] => requests.map(({ atMs }) => atMs);

  it("is refreshed at 80 % of the granted time, not of the requested time", async () => {
    answers = [granted(100)];
    registration.start();
    await pass(161_000);
    expect(times()).toEqual([0, 80_000, 160_000]);
    expect(registration.state).toBe("registered");
  });

  it("is not refreshed in a tight loop if the registrar grants one second", async () => {
    answers = [granted(1)];
    registration.start();
    await pass(21_000);
    expect(times()).toEqual([0, 10_000, 20_000]);
  });

  it("uses the registrar's minimum after a 423, and keeps it", async () => {
    answers = [refused(423, 7_200), granted(7_200), granted(7_200)];
    registration.start();
    await pass(5_761_000);
    expect(requests).toEqual([
      { seconds: 3_600, atMs: 0 },
      { seconds: 7_200, atMs: 0 },
      { seconds: 7_200, atMs: 5_760_000 },
    ]);
  });

  it.each([
    ["refused", refused(403)],
    ["refused", refused(423)],
    ["refused", refused(423, 100_000_000)],
    ["silent", null],
  ] as const)("that is %s is tried again after 30 s, then more and more seldom", async (state, answer) => {
    answers = [answer];
    registration.start();
    await pass(150 * MINUTE_MS);
    expect(times().map((ms) => ms / 30_000)).toEqual([0, 1, 3, 7, 15, 31, 63, 123, 183, 243]);
    expect(registration.state).toBe(state);
  });

  it.each([
    [120, [0, 120_000, 240_000]],
    [1, [0, 30_000, 90_000, 210_000]],
    [9_999_999, [0]],
  ])("that is refused with Retry-After: %s waits so long, within bounds", async (retryAfterSeconds, expected) => {
    answers = [{ ...refused(503), retryAfterSeconds }];
    registration.start();
    await pass(241_000);
    expect(times()).toEqual(expected);
  });

  it("resets the retry delay to 30 s after a success", async () => {
    answers = [null, null, granted(100), null, granted(100)];
    registration.start();
    await pass(201_000);
    expect(times()).toEqual([0, 30_000, 90_000, 170_000, 200_000]);
  });

  it("is sent at once when the carrier responds to OPTIONS again, and not for each response", async () => {
    answers = [null, null, null, granted(3_000)];
    registration.start();
    registration.pinged(false);
    await pass(100_000);
    expect(times()).toEqual([0, 30_000, 90_000]);
    registration.pinged(true);
    await pass(30_000);
    registration.pinged(true);
    await pass(10 * MINUTE_MS);
    expect(times()).toEqual([0, 30_000, 90_000, 100_000]);
    expect(registration.state).toBe("registered");
  });

  it("is ended by stop, but only if it exists", async () => {
    answers = [granted(100)];
    registration.start();
    await pass(1);
    await registration.stop();
    expect(requests.map(({ seconds }) => seconds)).toEqual([3_600, 0]);
    await pass(MINUTE_MS);
    registration.start();
    await registration.stop();
    expect(requests).toHaveLength(2);
  });
});

describe("the expiry of our own binding", () => {
  const ours = "<sip:trunk0@192.0.2.1:5060>";
  it.each([
    ["among those of others", [`<sip:other@192.0.2.1:5060>;expires=9`, `${ours};expires=600`], 600],
    ["beside another exchange's of the same name", [`<sip:trunk0@192.0.2.9:5060>;expires=3600`, `${ours};expires=60`], 60],
    ["beside another port's", [`<sip:trunk0@192.0.2.1:5080>;expires=3600`, `${ours};q=0.5;expires="60"`], 60],
    ["whose address the registrar rewrote", [`<sip:trunk0@203.0.113.5:5060>;expires=60`, `<sip:other@192.0.2.1>;expires=9`], 60],
    [
      "that may be either of two: the first to lapse",
      [`<sip:trunk0@203.0.113.5:1>;expires=60`, `<sip:trunk0@203.0.113.6:2>;expires=90`],
      60,
    ],
    ["that is the only one", ["<sip:account@203.0.113.5>;expires=60"], 60],
    [
      "beside one of an earlier address, which ends",
      ["<sip:trunk0@203.0.113.5:1>;expires=0", "<sip:trunk0@203.0.113.6:2>;expires=90"],
      90,
    ],
    ["without the usual port", ["<sip:trunk0@192.0.2.9:5060>;expires=3600", "<sip:trunk0@192.0.2.1>;expires=60"], 60],
    ["in another case", ["<sip:trunk0@192.0.2.9:5060>;expires=3600", "<SIP:trunk0@192.0.2.1:5060;LR>;EXPIRES=60"], 60],
    ["without brackets", ["<sip:trunk0@192.0.2.9:5060>;expires=3600", "sip:trunk0@192.0.2.1:5060;expires=60"], 60],
    ["that says none", [ours], 300],
    ["that is missing", ["<sip:a@192.0.2.1>;expires=9", "<sip:b@192.0.2.1>;expires=9"], 300],
    ["that cannot be read", ["nothing"], 300],
  ])("%s", (_, contact, seconds) => {
    const response = responseTo(samples.request("REGISTER"), 200, "OK", {
      toTag: "t",
      headers: new Map([
        ["contact", contact],
        ["expires", ["300"]],
      ]),
    });
    expect(registrarAnswer(response, ours, 3_600)).toMatchObject({ grantedSeconds: seconds });
  });
});

describe("REGISTER over the wire", () => {
  const bench = new SipBench();
  afterEach(() => bench.end());
  const account = {
    username: "farline",
    password: "secret",
    registrar: { host: "127.0.0.1", port: 0 },
    fromDomain: "carrier.example",
  };

  async function registrar(transport: "udp" | "tcp", handle: CarrierHandler): Promise<SocketCarrier> {
    const started = await startSocketCarrier(transport, handle);
    bench.add(() => started.close());
    return started;
  }
  const accept = (message: string): string =>
    replyTo(message, "200 OK", {
      headers: [`Contact: <sip:other@192.0.2.1>;expires=9, ${fieldOf(message, "Contact")};expires=600`],
    });

  it.each([
    ["SHA-256", "sha256"],
    ["MD5", "md5"],
  ])("authenticates with %s, names the account, and unregisters on close", async (algorithm, hash) => {
    const digest = (text: string): string => createHash(hash).update(text).digest("hex");
    const far = await registrar("udp", (message, send) => {
      const given = (name: string): string => new RegExp(`${name}="?([^",]*)`).exec(fieldOf(message, "Authorization"))?.[1] ?? "";
      const [secret, requests] = [digest("farline:carrier:secret"), digest(`REGISTER:${message.split(" ")[1]}`)];
      const right = digest(`${secret}:n1:${given("nc")}:${given("cnonce")}:auth:${requests}`);
      if (given("response") === right) send(accept(message));
      else
        send(
          replyTo(message, "401 Unauthorized", {
            headers: [`WWW-Authenticate: Digest realm="carrier",nonce="n1",algorithm=${algorithm},qop="auth"`],
          }),
        );
    });
    const trunks = await bench.trunks([trunkTo(far.port, { ...account, registrar: { host: "127.0.0.1", port: far.port } })]);
    await expect.poll(() => trunks.states()).toMatchObject([{ registration: "registered", connected: null }]);
    await trunks.close();
    const proven = far.heard.filter((message) => message.includes("\r\nAuthorization:"));
    expect(proven.map((message) => fieldOf(message, "Expires"))).toEqual(["3600", "0"]);
    expect(new Set(far.heard.map((message) => fieldOf(message, "Call-ID"))).size).toBe(1);
    expect(fieldOf(far.heard[0] ?? "", "From")).toMatch(/^<sip:farline@carrier\.example>;tag=/);
    expect(fieldOf(far.heard[0] ?? "", "To")).toBe("<sip:farline@carrier.example>");
  });

  it("is sent again over each new connection", async () => {
    const far = await registrar("tcp", (message, send) => send(accept(message)));
    const trunks = await bench.trunks([
      trunkTo(far.port, { ...account, transport: "tcp", registrar: { host: "127.0.0.1", port: far.port } }),
    ]);
    await expect.poll(() => trunks.states()).toMatchObject([{ registration: "registered", connected: true }]);
    for (const socket of far.connections) socket.destroy();
    await expect.poll(() => far.heard.length).toBe(2);
  });
});
