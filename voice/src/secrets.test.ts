import { randomBytes, randomUUID } from "node:crypto";
import pino from "pino";
import { afterEach, beforeEach, expect, test } from "vitest";
import { pageOrigin, testExchange, type TestExchange } from "../test/test-exchange.ts";
import { SdkClient } from "../test/sdk-client.ts";

const NUMBER = "+442079460000";
/** Digits that a caller enters, for example for a bank. */
const PIN = "48151623";

let bench: TestExchange;
let lines: string[];
beforeEach(async () => {
  lines = [];
  const log = pino({ level: "trace" }, { write: (line: string) => void lines.push(line) });
  bench = await testExchange({ log, config: { apiKeys: [`KEY${randomBytes(16).toString("hex")}`] } });
});
afterEach(() => bench.close());

const ask = (path: string, headers: Record<string, string> = {}) =>
  fetch(`http://127.0.0.1:${bench.exchange.controlPort}${path}`, { headers }).then((answer) => answer.text());

test("logs and health reports never contain keys, tokens, tickets or keypad digits", async () => {
  const {
    apiKeys: [apiKey],
    tokenKeys: [tokenKey],
    signingKey,
  } = bench.config;
  const { token } = await bench.token("customer mark");
  const ticket = randomBytes(32).toString("base64url");
  const clientState = Buffer.from(ticket).toString("base64");
  const client = await bench.browser(token);
  const callId = randomUUID();
  await client.invite(callId, "offer-sdp", { clientState });
  const controlId = String((await client.next("ringing")).params?.["telnyx_call_control_id"]);
  await bench.telnyx.calls.actions.transfer(controlId, { to: NUMBER, time_limit_secs: 60, target_leg_client_state: clientState });
  await expect.poll(() => bench.network.calls.length).toBe(1);
  bench.network.last.answer();
  await client.next("answer");
  await client.request("telnyx_rtc.info", { sessid: client.sessid, dtmf: PIN, dialogParams: { callID: callId } });
  const health = await ask("/healthz", { authorization: `Bearer ${apiKey}` });
  // Failures.
  bench.webhooks.answer = () => 500;
  await client.request("telnyx_rtc.modify", { action: "nonsense", token, dialogParams: { callID: callId } });
  const refused = [
    await ask("/v2/balance", { authorization: `Bearer ${apiKey}x` }),
    await ask("/v2/nothing", { authorization: `Bearer ${apiKey}` }),
  ];
  // The response, which requires the key, may contain the leg's state, but the log may not.
  await ask(`/v2/calls/${controlId}?key=${apiKey}`, { authorization: `Bearer ${apiKey}` });
  const other = await SdkClient.open(bench.wsUrl, pageOrigin);
  await expect(other.login(`${token}x`)).rejects.toThrow();
  await client.bye(callId);
  await bench.webhooks.next("call.hangup");
  await other.close();
  bench.webhooks.answer = () => 200;

  const said = [...lines, health, ...refused].join("\n");
  expect(said.length).toBeGreaterThan(100);
  const secrets = {
    apiKey,
    token,
    signature: token.split(".").at(-1) ?? "",
    ticket,
    clientState,
    pin: PIN,
    tokenKey: Buffer.from(tokenKey).toString("base64"),
    tokenKeyHex: Buffer.from(tokenKey).toString("hex"),
    signingKey: signingKey.export({ type: "pkcs8", format: "der" }).toString("base64"),
  };
  const written = Object.entries(secrets).filter(([, secret]) => said.includes(secret));
  expect(written.map(([name]) => name)).toEqual([]);
});
