import { createHmac, createPrivateKey, sign } from "node:crypto";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { operatorToken } from "@farline/server/test/operators.ts";
import { askService } from "./src/ask-service.ts";
import { Attacker } from "./src/attacker.ts";
import { type Belongings, createBelongings, newCustomer, type TestCustomer } from "./src/customers.ts";
import { Attempts, FULL_SIZE, inventory, type InventoryRoute, pathOf } from "./src/attempts.ts";
import { HOSTILE_BODIES, HOSTILE_VALUES, hostileJson } from "./src/hostile-values.ts";
import { type Installation, startInstallation } from "./src/product.ts";
import { rawHttp } from "./src/raw-http.ts";
import { placesIn, sampleFields, withValueAt } from "./src/sample-request.ts";

/** The quick size tries every fourth value in each place, starting from a different value each time. */
const STEP = FULL_SIZE ? 1 : 4;
const TIMEOUT_MS = 30_000;
/** A line of a stack trace, or the path of one of our files. */
const REVEALS_INTERNALS = /\n\s+at |node_modules|\/src\/.*\.ts/;

let attempts = new Attempts();
let at: Installation;
let customer: TestCustomer;
let belongings: Belongings;
/** An administrator's session in the console. */
let operator = "";
let rotation = 0;

beforeAll(async () => {
  at = await startInstallation();
  await signUp();
});
afterAll(() => at?.close());
beforeEach(() => {
  attempts = new Attempts();
});

async function signUp(): Promise<void> {
  customer = await newCustomer(at);
  belongings = await createBelongings(at, customer);
}

/** Signs up a new customer if an earlier request has signed this one out, and an operator in. */
async function ensureSignedIn(): Promise<void> {
  operator = await operatorToken((sql, values) => at.database.handle.pool.query(sql, values), "grace");
  const { status } = await askService(`http://127.0.0.1:${at.addresses.port}/api/user`, { headers: bearer() });
  if (status !== 200) await signUp();
}

const bearer = () => ({ authorization: `Bearer ${customer.token}` });
const url = (route: InventoryRoute, path: string) => `http://127.0.0.1:${route.port}${path}`;
const takesBody = (route: InventoryRoute) => ["POST", "PUT", "PATCH", "DELETE"].includes(route.method);

/** The values to try in the next place. */
const valuesForNext = () => shareOf(HOSTILE_VALUES);
/** The bodies to try on the next route. */
const bodiesForNext = () => shareOf(HOSTILE_BODIES);

function shareOf<Value>(all: readonly Value[]): readonly Value[] {
  rotation += 1;
  return all.filter((_value, index) => (index + rotation) % STEP === 0);
}

/** Tries all values of one place at once, which also crosses them with each other. */
async function tryEach<Value>(values: readonly Value[], attempt: (value: Value) => Promise<void>): Promise<void> {
  await Promise.all(values.map(attempt));
}

async function send(
  kind: string,
  route: InventoryRoute,
  wanted: { path: string; body?: string | Uint8Array<ArrayBuffer>; headers?: Record<string, string> },
) {
  const { path, body, headers = {} } = wanted;
  const what = `${route.method} ${path} ${typeof body === "string" ? body.slice(0, 300) : ""}`;
  const answer = await askService(url(route, path), {
    method: route.method,
    redirect: "manual",
    signal: AbortSignal.timeout(TIMEOUT_MS),
    headers: {
      ...bearer(),
      cookie: `__Host-operator=${operator}`,
      // The exchange closes a connection after 20 requests, perhaps as the next one is sent.
      ...(route.part === "service" ? {} : { connection: "close" }),
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...headers,
    },
    ...(body === undefined ? {} : { body }),
  }).catch((error: unknown) => String(error));
  if (typeof answer === "string") return attempts.check(kind, `${what}: ${answer}`, false);
  const text = await answer.text();
  const good = answer.status < 500 && !REVEALS_INTERNALS.test(text) && (answer.status < 400 || isErrorBody(route, text));
  attempts.check(kind, `${what}: ${answer.status} ${text.slice(0, 200)}`, good);
}

/** Every refusal of the API has the same form; pages answer in HTML. */
function isErrorBody(route: InventoryRoute, text: string): boolean {
  if (!route.url.startsWith("/api/")) return true;
  try {
    const body = JSON.parse(text) as Record<string, unknown>;
    return typeof body["message"] === "string" && typeof body["code"] === "string";
  } catch {
    return false;
  }
}

/** Routes of the service, except the stream, whose response does not end. */
function serviceRoutes(): InventoryRoute[] {
  return inventory(at).filter((route) => route.part === "service" && !route.url.endsWith("/events") && isSent(route));
}

/** `fetch` cannot send TRACE, and the others have no body to check. */
function isSent({ method }: InventoryRoute): boolean {
  return !["HEAD", "OPTIONS", "TRACE"].includes(method);
}

/** The path with the customer's own ids, where the route names one of their resources. */
function ownPath(route: InventoryRoute): string {
  const [, thing] = /^\/api\/(?:billing\/)?(contact|call|receipt)s\/:/.exec(route.url) ?? [];
  return pathOf(route.url, thing === undefined ? undefined : belongings[thing as keyof Belongings]);
}

test("no field of any body breaks the service", { timeout: 600_000 }, async () => {
  for (const route of serviceRoutes().filter(takesBody)) {
    const fields = sampleFields(route.schema.body);
    if (fields === null) continue;
    await ensureSignedIn();
    await send("an unknown field", route, { path: ownPath(route), body: hostileJson({ ...fields, extra: nestedExtra }) });
    for (const place of placesIn(fields))
      await tryEach(valuesForNext(), (value) =>
        send("a field of a body", route, { path: ownPath(route), body: hostileJson(withValueAt(fields, place, value)) }),
      );
  }
  expect(attempts.succeeded).toEqual([]);
});

const nestedExtra = { __proto__: null, constructor: { prototype: { admin: true } } };

test("no malformed body breaks the service", async () => {
  const notUtf8 = new Uint8Array([0x7b, 0x22, 0x61, 0x22, 0x3a, 0x22, 0xff, 0xed, 0xa0, 0x80, 0x22, 0x7d]);
  for (const route of serviceRoutes().filter(takesBody)) {
    await ensureSignedIn();
    await tryEach(bodiesForNext(), (body) => send("a whole body", route, { path: ownPath(route), body }));
    await send("a whole body", route, { path: ownPath(route), body: notUtf8 });
    await send("a whole body", route, { path: ownPath(route), body: "a=b", headers: { "content-type": "text/plain" } });
  }
  expect(attempts.succeeded).toEqual([]);
});

test("no query parameter and no path parameter breaks the service", async () => {
  for (const route of serviceRoutes()) {
    if (takesBody(route) && route.schema.querystring === undefined && !route.url.includes(":")) continue;
    await ensureSignedIn();
    for (const name of Object.keys(sampleFields(route.schema.querystring) ?? {}))
      await tryEach(valuesForNext().map(asPart), async (value) => {
        await send("a field of a query", route, { path: `${ownPath(route)}?${name}=${value}` });
        await send("a field of a query", route, { path: `${ownPath(route)}?${name}=${value}&${name}=${value}` });
      });
    if (!route.url.includes(":")) continue;
    await tryEach(valuesForNext().map(asPart), (value) =>
      send("a part of a path", route, { path: pathOf(route.url, value || "x") }),
    );
  }
  expect(attempts.succeeded).toEqual([]);
});

/** Any value as part of a URL; half a surrogate pair is encoded as raw bytes. */
function asPart(value: unknown): string {
  const text = typeof value === "string" ? value : hostileJson(value);
  return text
    .slice(0, 3_000)
    .split(/([\ud800-\udfff])/u)
    .map((part) => (/^[\ud800-\udfff]$/u.test(part) ? "%ED%A0%80" : encodeURIComponent(part.toWellFormed())))
    .join("");
}

test("no header breaks the service", async () => {
  const headers = {
    "user-agent": "\u00ff\u0080".repeat(200),
    "accept-language": `fr;q=9,${"x".repeat(3_000)},;;q=,*`,
    "idempotency-key": "'\u00ff".repeat(300),
    cookie: "__Host-browser=%00\u00ff; =; a",
    "x-session-bind": "\u00ff",
    range: "bytes=9-1,x",
    "if-none-match": '"\u00ff',
  };
  for (const route of serviceRoutes()) {
    const fields = sampleFields(route.schema.body);
    const body = takesBody(route) && fields !== null ? hostileJson(fields) : undefined;
    await ensureSignedIn();
    await send("a header", route, { path: ownPath(route), headers, ...(body === undefined ? {} : { body }) });
    await send("a header", route, { path: ownPath(route), headers: { authorization: "Bearer \u00ff%00" } });
  }
  expect(attempts.succeeded).toEqual([]);
});

/** Paths that a router, a file server or a redirect may resolve to another place. */
const STRANGE_PATHS = [
  "//evil.example",
  "//evil.example/%2e%2e",
  "///evil.example/rates",
  "/\\evil.example",
  "/rates//x",
  "/rates//evil.example",
  "/rates/",
  "/rates/%00",
  "/rates/..%2f..%2fpackage.json",
  "/assets/%00",
  "/assets/%00.js",
  "/assets/..%2f..%2fpackage.json",
  "/assets/%2e%2e/%2e%2e/package.json",
  "/%00",
  "/%",
  "/%zz",
  "/%ff",
  "/%c0%ae%c0%ae/",
  "/%ed%a0%80",
  "/.",
  "/..",
  "/.env",
  "/.vite/manifest.json",
  "/api//user",
  "/api/%00",
  `/${"a/".repeat(3_000)}`,
  "/dialer?next=//evil.example",
  "*",
];

test("no path redirects off the site, reads the file system or causes an internal error", async () => {
  const ports = [at.addresses.port, at.exchange.port, at.exchange.controlPort, at.sandbox.port];
  for (const port of ports)
    for (const path of STRANGE_PATHS)
      for (const accept of ["text/html", "*/*"]) {
        const { status, text, location } = await rawHttp(port, path, { headers: { accept } });
        const stays = location === null || /^\/(?![/\\])/.test(location);
        const held = status >= 200 && status < 500 && stays && !text.includes('"private": true') && !REVEALS_INTERNALS.test(text);
        attempts.check("a strange path", `${path} on ${port}: ${status} ${location ?? ""}`, held);
      }
  expect(attempts.succeeded).toEqual([]);
});

test("no message from a browser breaks the exchange", async () => {
  const caller = await Attacker.signUp(at, { dollars: 1 });
  const fields = { id: "1", method: "telnyx_rtc.invite", params: { sessid: "1", sdp: "v=0", dialogParams: DIALOG } };
  for (const method of [
    "login",
    "telnyx_rtc.invite",
    "telnyx_rtc.bye",
    "telnyx_rtc.modify",
    "telnyx_rtc.info",
    "telnyx_rtc.attach",
  ])
    for (const place of placesIn(fields)) {
      const line = await caller.line();
      for (const value of valuesForNext())
        if (line.isOpen)
          line.client.socket.send(
            hostileJson({ jsonrpc: "2.0", ...(withValueAt({ ...fields, method }, place, value) as object) }),
          );
      await line.close();
      const next = await caller.line();
      attempts.check("a browser's message", `${method} ${place.join(".")}`, (await next.request("telnyx_rtc.ping", {})) !== null);
      await next.close();
    }
  await caller.leave();
  expect(attempts.succeeded).toEqual([]);
});

const DIALOG = {
  callID: "1",
  destination_number: "+442079460958",
  clientState: "AA==",
  custom_headers: [{ name: "X-A", value: "b" }],
};

test("a contact file with invalid bytes is read or refused", async () => {
  const route = routeOf("POST", "/api/contacts/import");
  await ensureSignedIn();
  const half = Buffer.from([0xed, 0xa0, 0x80]);
  const names = [Buffer.from("A\0da"), half, Buffer.from("\u202e\u200bAda"), Buffer.from("__proto__"), Buffer.alloc(2_000, 0xff)];
  for (const name of names)
    for (const [file, type, body] of [
      ["a.csv", "text/csv", Buffer.concat([Buffer.from("first_name,phone_number\n"), name, Buffer.from(",+442079460958\n")])],
      [
        "a.vcf",
        "text/vcard",
        Buffer.concat([
          Buffer.from("BEGIN:VCARD\r\nVERSION:3.0\r\nFN:"),
          name,
          Buffer.from("\r\nTEL:+442079460958\r\nEND:VCARD\r\n"),
        ]),
      ],
    ] as const) {
      const form = new FormData();
      form.set("file", new Blob([body], { type }), file);
      const answer = await askService(url(route, "/api/contacts/import"), { method: "POST", headers: bearer(), body: form });
      const text = await answer.text();
      attempts.check("a contact file", `${file}: ${answer.status} ${text.slice(0, 200)}`, answer.status < 500);
    }
  const list = await askService(url(route, "/api/contacts"), { headers: bearer() });
  expect(list.status).toBe(200);
  expect(attempts.succeeded).toEqual([]);
});

test("no signed provider event breaks the service", async () => {
  const texts = ["\0", "\ud800", "\u202e", "x".repeat(50_000), "__proto__"];
  const events = texts.flatMap((text) => [
    { id: `evt_${text}`, object: "event", type: text, data: { object: { id: text, metadata: { payment_id: text } } } },
    {
      id: "evt_1",
      object: "event",
      type: "checkout.session.completed",
      data: { object: { id: text, object: "checkout.session" } },
    },
  ]);
  for (const event of events) {
    const body = JSON.stringify(event);
    const time = Math.floor(Date.now() / 1000);
    const v1 = createHmac("sha256", at.secrets.stripeWebhookSecret).update(`${time}.${body}`).digest("hex");
    const headers = { "stripe-signature": `t=${time},v1=${v1}` };
    await send("a signed event", routeOf("POST", "/api/webhooks/stripe"), { path: "/api/webhooks/stripe", body, headers });
  }
  const key = createPrivateKey({ key: Buffer.from(at.secrets.exchangeSigningKey, "base64"), format: "der", type: "pkcs8" });
  for (const text of texts)
    for (const event_type of ["call.initiated", "call.hangup", text]) {
      const payload = {
        call_control_id: text,
        call_leg_id: text,
        call_session_id: text,
        client_state: text,
        to: text,
        from: text,
      };
      const parts = { id: text, event_type, occurred_at: text, payload: { ...payload, state: "parked", direction: "outgoing" } };
      const body = JSON.stringify({ data: { record_type: "event", ...parts } });
      const time = String(Math.floor(Date.now() / 1000));
      const signature = sign(null, Buffer.from(`${time}|${body}`), key).toString("base64");
      const headers = { "telnyx-signature-ed25519": signature, "telnyx-timestamp": time };
      await send("a signed event", routeOf("POST", "/api/webhooks/telnyx"), { path: "/api/webhooks/telnyx", body, headers });
    }
  expect(attempts.succeeded).toEqual([]);
});

test("no command breaks the exchange and no request breaks the sandbox", async () => {
  const others = inventory(at).filter((route) => route.part !== "service" && isSent(route));
  for (const route of others) {
    const headers = { authorization: `Bearer ${at.secrets.telnyxApiKey}` };
    await tryEach(valuesForNext().map(asPart), async (value) => {
      await send(`a request of the ${route.part}`, route, { path: pathOf(route.url, value || "x"), headers });
      await send(`a request of the ${route.part}`, route, { path: `${pathOf(route.url)}?${value}=${value}`, headers });
    });
    if (!takesBody(route)) continue;
    await tryEach(bodiesForNext(), (body) =>
      send(`a request of the ${route.part}`, route, { path: pathOf(route.url), body, headers }),
    );
  }
  expect(attempts.succeeded).toEqual([]);
});

function routeOf(method: string, path: string): InventoryRoute {
  const route = inventory(at).find((one) => one.part === "service" && one.method === method && one.url === path);
  if (route === undefined) throw new Error(`there is no route ${method} ${path}`);
  return route;
}
