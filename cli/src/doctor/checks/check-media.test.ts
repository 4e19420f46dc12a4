import { turnServers } from "@farline/server/calls/credentials/turn-servers.ts";
import { freePort } from "@farline/voice/test/free-port.ts";
import { type Relay, startCoturn } from "@farline/voice/test/network/coturn.ts";
import { startRtpengine } from "@farline/voice/test/rtpengine-process.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { RelayAllocation } from "../turn-client.ts";
import { checkRelays, checkRtpengines } from "./check-media.ts";

describe("relays", () => {
  const SECRET = "a secret that coturn and the service share";
  const EXCHANGE = "127.0.0.1";

  let relay: Relay;
  let open: Relay;
  beforeAll(async () => {
    relay = await startCoturn(SECRET);
    open = await startCoturn(SECRET, { "denied-peer-ip": null, "allowed-peer-ip": null });
  });
  afterAll(() => Promise.all([relay.stop(), open.stop()]));

  const plain = () => ({ urls: [relay.urls.udp, relay.urls.tcp], secret: SECRET });

  test("coturn with the documented configuration accepts our passwords over UDP and TCP, and permits the exchange only", async () => {
    expect(await checkRelays(plain(), EXCHANGE)).toEqual([
      { level: "ok", text: `The relay ${relay.urls.udp} accepts a new password.` },
      { level: "ok", text: `The relay ${relay.urls.tcp} accepts a new password.` },
    ]);
  });

  test("a relay with another secret is a fault", async () => {
    const findings = await checkRelays({ ...plain(), secret: "another secret of more than 32 characters" }, EXCHANGE);
    for (const { level, text } of findings) {
      expect(level).toBe("fault");
      expect(text).toContain("refuses our password: TURN_SECRET");
    }
    expect(findings).toHaveLength(2);
  });

  test("a relay refuses an expired password", async () => {
    const expired = { name: "caller", expiresAt: new Date(Date.now() - 1_000) };
    const [server] = turnServers({ urls: [relay.urls.udp], secret: SECRET }, expired);
    const { username = "", credential = "" } = server ?? {};
    await expect(RelayAllocation.open(relay.urls.udp, { username, credential })).rejects.toMatchObject({ code: 401 });
  });

  test("during a change of secrets, a relay accepts passwords of the old and the new one", async () => {
    const next = "the next secret of more than 32 characters";
    const both = await startCoturn(`${SECRET}\nstatic-auth-secret=${next}`);
    try {
      for (const secret of [SECRET, next])
        expect(await checkRelays({ urls: [both.urls.udp], secret }, EXCHANGE)).toMatchObject([{ level: "ok" }]);
    } finally {
      await both.stop();
    }
  });

  test("a relay that permits private networks is a fault", async () => {
    const findings = await checkRelays({ urls: [open.urls.udp], secret: SECRET }, EXCHANGE);
    const faults = findings.filter(({ level }) => level === "fault").map(({ text }) => text);
    for (const peer of ["10.0.0.1", "172.16.0.1", "192.168.0.1", "169.254.169.254"])
      expect(faults).toContainEqual(expect.stringContaining(`leads to ${peer}, into private networks`));
  });

  test("a relay that does not permit the exchange is a fault", async () => {
    const findings = await checkRelays({ urls: [relay.urls.udp], secret: SECRET }, "203.0.113.7");
    expect(findings.map(({ text }) => text)).toContainEqual(
      expect.stringContaining("does not lead to the exchange's address 203.0.113.7: set allowed-peer-ip"),
    );
  });

  test("a certificate that browsers would not trust is a fault", async () => {
    const [finding] = await checkRelays({ urls: [relay.urls.tls], secret: SECRET }, EXCHANGE);
    expect(finding).toMatchObject({ level: "fault", text: expect.stringContaining("SELF_SIGNED_CERT") });
  });

  test("a relay that is down is a fault, and having no relay a warning", async () => {
    const [finding] = await checkRelays({ urls: ["turn:127.0.0.1:1?transport=tcp"], secret: SECRET }, EXCHANGE);
    expect(finding).toMatchObject({ level: "fault", text: expect.stringContaining("cannot be reached: ECONNREFUSED") });
    expect(await checkRelays(null, EXCHANGE)).toMatchObject([{ level: "warning" }]);
  });
});

describe("rtpengines", () => {
  test("an rtpengine that answers is ok, one that does not is a fault", async () => {
    const engine = await startRtpengine({ first: 32_100, last: 32_199 });
    const nobody = { host: "127.0.0.1", port: await freePort(), weight: 1 };
    try {
      expect(await checkRtpengines({ rtpengines: [engine.ng, nobody] })).toEqual([
        { level: "ok", text: `rtpengine answers at 127.0.0.1:${engine.ng.port}.` },
        {
          level: "fault",
          text: `rtpengine at 127.0.0.1:${nobody.port} is not used: rtpengine did not answer ping in time.`,
        },
      ]);
    } finally {
      await engine.kill();
    }
  });
});
