import { once } from "node:events";
import { createServer as createHttpServer, type Server as HttpServer } from "node:http";
import { type AddressInfo, createServer, type Server } from "node:net";
import { HANDLED_EVENTS } from "@farline/server/billing/billing.ts";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { checkMail, checkService, checkStripe, checkVoiceProvider } from "./check-providers.ts";

describe("voice and mail", () => {
  const servers: Server[] = [];
  afterEach(() => {
    for (const server of servers.splice(0)) server.close();
  });

  async function portOf(server: Server): Promise<number> {
    servers.push(server);
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return (server.address() as AddressInfo).port;
  }

  /** A provider that accepts one key. */
  const provider = (key: string) =>
    portOf(
      createHttpServer((request, response) => {
        const known = request.headers.authorization === `Bearer ${key}`;
        response.writeHead(known ? 200 : 401, { "content-type": "application/json" });
        response.end(known ? '{"object":"list","data":[],"has_more":false}' : '{"error":{"type":"invalid_request_error"}}');
      }),
    );

  test("a key that the voice provider refuses is a fault", async () => {
    const apiBase = `http://127.0.0.1:${await provider("right")}`;
    expect(await checkVoiceProvider({ apiBase, apiKeys: ["right"] })).toMatchObject([{ level: "ok" }]);
    expect(await checkVoiceProvider({ apiBase, apiKeys: ["wrong"] })).toMatchObject([
      { level: "fault", text: expect.stringContaining("refuses TELNYX_API_KEY") },
    ]);
  });

  test("what the running service says is wrong is said by the doctor, too", async () => {
    const trouble = { id: "farline_part_up payments", since: "2026-11-26T19:08:00.000Z", size: 0, runbook: "payments-failing" };
    const answers: Record<string, unknown>[] = [
      { status: "ready", parts: { database: "ok" }, warnings: [] },
      {
        ...{ status: "ready", parts: { payments: "down" } },
        warnings: [
          { ...trouble, level: "page", text: "9 of the last 12 failed.", detail: "It answers with status 500." },
          { ...trouble, level: "ticket", text: "Mails wait.", detail: null },
        ],
      },
      { message: "Not ready: database." },
    ];
    const port = await portOf(
      createHttpServer((request, response) => {
        const known = request.headers.authorization === "Bearer monitor";
        const answer = answers.shift();
        response.writeHead(!known ? 401 : answer?.["status"] === "ready" ? 200 : 503, { "content-type": "application/json" });
        response.end(JSON.stringify(answer));
      }),
    );
    const check = () => checkService({ host: "127.0.0.1", port, metricsToken: "monitor" });
    expect(await check()).toMatchObject([{ level: "ok" }]);
    expect(await check()).toEqual([
      {
        level: "fault",
        text: "9 of the last 12 failed. It answers with status 500. Since 2026-11-26T19:08:00.000Z; see docs/runbooks/payments-failing.md.",
      },
      { level: "warning", text: "Mails wait. Since 2026-11-26T19:08:00.000Z; see docs/runbooks/payments-failing.md." },
    ]);
    expect(await check()).toEqual([{ level: "fault", text: "Not ready: database." }]);
    servers.pop()?.close();
    expect(await check()).toMatchObject([{ level: "warning", text: expect.stringContaining("No service answers") as string }]);
  });

  test("a voice provider that does not answer is a fault", async () => {
    const apiBase = `http://127.0.0.1:${await provider("right")}`;
    servers.pop()?.close();
    expect(await checkVoiceProvider({ apiBase, apiKeys: ["k"] })).toMatchObject([
      { level: "fault", text: expect.stringContaining("does not answer: ECONNREFUSED") },
    ]);
  });

  /** A mail server that accepts one password, or needs none if `login` is null. */
  const mailServer = (login: string | null) =>
    portOf(
      createServer((socket) => {
        socket.write("220 mail.example\r\n");
        socket.on("error", () => undefined);
        socket.on("data", (chunk) => {
          const line = chunk.toString();
          if (line.startsWith("EHLO"))
            socket.write(login === null ? "250 mail.example\r\n" : "250-mail.example\r\n250 AUTH PLAIN\r\n");
          else if (line.startsWith("AUTH PLAIN"))
            socket.write(Buffer.from(line.slice(11), "base64").toString().endsWith(`\0${login}`) ? "235 ok\r\n" : "535 no\r\n");
          else socket.end("221 bye\r\n");
        });
      }),
    );

  test("a mail server that does not answer or refuses our password is a fault", async () => {
    const from = "a@example.com";
    const open = await mailServer(null);
    const guarded = await mailServer("right");
    expect(await checkMail({ smtpUrl: `smtp://127.0.0.1:${open}`, from })).toMatchObject([{ level: "ok" }]);
    expect(await checkMail({ smtpUrl: `smtp://user:right@127.0.0.1:${guarded}`, from })).toMatchObject([{ level: "ok" }]);
    const [refused] = await checkMail({ smtpUrl: `smtp://user:wrong@127.0.0.1:${guarded}`, from });
    expect(refused).toMatchObject({ level: "fault", text: expect.stringContaining("EAUTH") });
    expect(refused?.text).not.toContain("wrong");
    expect(await checkMail({ smtpUrl: "smtp://127.0.0.1:1", from })).toMatchObject([{ level: "fault" }]);
    expect(await checkMail({ smtpUrl: null, from })).toMatchObject([{ level: "warning" }]);
  });
});

describe("payments", () => {
  const publicUrl = "https://calls.example.com";
  let server: HttpServer;
  let port: number;
  /** Answers by path; other lists are empty. */
  let answers: Record<string, { status: number; body: object }>;
  beforeEach(async () => {
    answers = {
      "/v1/webhook_endpoints": endpoints({ enabled_events: ["*"] }),
      "/v1/balance": { status: 200, body: { object: "balance", available: [{ amount: 1, currency: "usd" }], pending: [] } },
    };
    server = createHttpServer((request, response) => {
      const { pathname } = new URL(request.url ?? "/", "http://provider");
      const { status, body } = answers[pathname] ?? { status: 200, body: { object: "list", data: [], has_more: false } };
      response.writeHead(status, { "content-type": "application/json" });
      response.end(JSON.stringify(body));
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    ({ port } = server.address() as AddressInfo);
  });
  afterEach(() => server.close());

  const endpoints = (...data: object[]) => ({
    status: 200,
    body: {
      object: "list",
      data: data.map((one) => ({ url: `${publicUrl}/api/webhooks/stripe`, status: "enabled", ...one })),
      has_more: false,
    },
  });

  function check(secretKey = "sk_test_key") {
    const apiBase = `http://127.0.0.1:${port}`;
    return checkStripe({ publicUrl, host: "127.0.0.1", port: 3000, stripe: { secretKey, webhookSecrets: [], apiBase } });
  }
  const refuse = (path: string, message: string) => {
    answers[path] = { status: 403, body: { error: { type: "invalid_request_error", message } } };
  };
  const charge = (site: string | null) => ({ id: "ch_1", object: "charge", metadata: site === null ? {} : { site } });

  test("a key that may do everything, for an account in dollars of our own, is all right", async () => {
    answers["/v1/charges"] = { status: 200, body: { object: "list", data: [charge(publicUrl)], has_more: false } };
    expect(await check()).toEqual([
      { level: "ok", text: "The payment provider accepts STRIPE_SECRET_KEY, for everything that is read." },
      { level: "ok", text: "The payment provider sends all events that the service handles." },
    ]);
  });

  const all = HANDLED_EVENTS.filter((type) => !type.startsWith("radar."));
  test.each<[string, object[], string]>([
    [
      "no webhook endpoint",
      [],
      "has no webhook endpoint https://calls.example.com/api/webhooks/stripe: add one, with the events checkout.",
    ],
    [
      "one for another installation only",
      [{ url: "https://staging.example.com/api/webhooks/stripe" }],
      "has no webhook endpoint",
    ],
    ["one that was disabled", [{ status: "disabled", enabled_events: ["*"] }], "has disabled the webhook endpoint"],
    [
      "one that lacks events",
      [{ enabled_events: all }, { status: "disabled", enabled_events: ["*"] }],
      "lacks the events radar.early_fraud_warning.created, radar.early_fraud_warning.updated: add",
    ],
  ])("an account with %s is a fault", async (_what, data, text) => {
    answers["/v1/webhook_endpoints"] = endpoints(...data);
    expect(await check()).toContainEqual({ level: "fault", text: expect.stringContaining(text) });
  });

  test("events that two endpoints send together, or the built-in provider, are all right", async () => {
    const found = { level: "ok", text: "The payment provider sends all events that the service handles." };
    answers["/v1/webhook_endpoints"] = endpoints({ enabled_events: all }, { enabled_events: HANDLED_EVENTS });
    expect(await check()).toContainEqual(found);
    answers["/v1/webhook_endpoints"] = endpoints({ url: "http://127.0.0.1:3000/api/webhooks/stripe", enabled_events: ["*"] });
    expect(await check()).toContainEqual(found);
    refuse("/v1/webhook_endpoints", "no");
    expect(await check("rk_test_key")).toContainEqual({
      level: "warning",
      text: expect.stringContaining("is not known: the key lacks"),
    });
  });

  test.each([
    ["charges", "/v1/charges"],
    ["customers", "/v1/customers"],
    ["checkout sessions", "/v1/checkout/sessions"],
    ["payment intents", "/v1/payment_intents"],
    ["refunds", "/v1/refunds"],
    ["disputes", "/v1/disputes"],
    ["fraud warnings", "/v1/radar/early_fraud_warnings"],
    ["balance transactions", "/v1/balance_transactions"],
    ["payouts", "/v1/payouts"],
    ["events", "/v1/events"],
  ])("a restricted key that may not read %s is a fault that names the permission", async (what, path) => {
    refuse(path, "Having the 'rak_some_read' permission would allow this request to continue.");
    const findings = await check("rk_test_key");
    expect(findings).toContainEqual({
      level: "fault",
      text: `STRIPE_SECRET_KEY may not read ${what}: add the permission rak_some_read to the restricted key.`,
    });
    expect(findings).toContainEqual({ level: "warning", text: expect.stringMatching(/must also be allowed to write .*refunds/) });
    expect(findings.filter(({ level, text }) => level === "ok" && text.includes("accepts"))).toEqual([]);
  });

  test("an account that settles elsewhere is a warning, and so is a balance that may not be read", async () => {
    answers["/v1/balance"] = {
      status: 200,
      body: { object: "balance", available: [{ amount: 1, currency: "jpy" }], pending: [{ amount: 1, currency: "eur" }] },
    };
    expect(await check()).toContainEqual({ level: "warning", text: expect.stringContaining("settles in EUR and JPY") });
    refuse("/v1/balance", "no");
    expect(await check()).toContainEqual({
      level: "warning",
      text: expect.stringContaining("lacks the permission to read the balance"),
    });
  });

  test("an account with other business is a warning", async () => {
    const data = [charge(publicUrl), charge(null), charge("https://staging.example.com")];
    answers["/v1/charges"] = { status: 200, body: { object: "list", data, has_more: false } };
    expect(await check()).toContainEqual({ level: "warning", text: expect.stringContaining("2 of its latest 3 charges") });
  });

  test("a key that is refused, and a provider that does not answer, are faults", async () => {
    answers["/v1/charges"] = { status: 401, body: { error: { type: "invalid_request_error" } } };
    expect(await check()).toEqual([{ level: "fault", text: "The payment provider refuses STRIPE_SECRET_KEY." }]);
    server.close();
    server.closeAllConnections();
    expect(await check()).toEqual([{ level: "fault", text: expect.stringContaining("does not answer") }]);
  });
});
