import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { freePort } from "@farline/voice/test/free-port.ts";
import { PASSWORD } from "@farline/e2e/support/customer.ts";
import { ask, registration, request } from "./support/api.ts";
import { CallLoad } from "./support/call-load.ts";
import { readRows } from "./support/database.ts";
import { PageLoad } from "./support/page-load.ts";
import { Load } from "./support/payment-load.ts";
import { until, untilGood } from "./support/readiness.ts";
import { folder, runDrill, say } from "./support/run-drill.ts";
import {
  environment,
  keyFiles,
  type Program,
  restartable,
  sandboxTrunks,
  startExchange,
  startOutside,
  startProxy,
  startService,
} from "./support/service-process.ts";

/**
 * A drill: two services and two exchanges behind HAProxy (deploy/haproxy), whose keys are replaced with `npm run cli -- keys --turn` while customers
 * call, pay and sign in. Each is restarted after each step. Exits with 2 if a request or a call fails.
 */
const STEPS = ["add", "use", "drop"] as const;
/** Stripe signs with both while a secret is rolled. */
const WEBHOOK_SECRETS = {
  before: "whsec_drill",
  add: "whsec_drill,whsec_next",
  use: "whsec_next,whsec_drill",
  drop: "whsec_next",
};
const CALLS = { callers: 6, speaking: 6, talkMs: 4_000, everyMs: 7_000 };
const PAYMENTS = { workers: 2, everyMs: 1_000 };
const PAGES = { clients: 2, everyMs: 200 };
const NOTICE_SECONDS = 4;
/** The balancer must have noticed that the one before is back. */
const BETWEEN_MS = 5_000;
const CLI = fileURLToPath(new URL("../cli/src/main.ts", import.meta.url));
const KEYS = join(folder, "keys");
/** For SIP and audio: each exchange has the port from which the carrier takes calls. */
const ADDRESSES = ["127.0.0.2", "127.0.0.3"];

await runDrill(drill);

async function drill(): Promise<boolean> {
  const [door, browsers, commands] = [await freePort(), await freePort(), await freePort()];
  const url = `http://127.0.0.1:${door}`;
  const { database, sandbox } = await startOutside(url, WEBHOOK_SECRETS.add);
  keys();
  let secret = WEBHOOK_SECRETS.before;
  const [exchanges, ports] = await startExchanges(url, sandbox.sipPort);
  const places = [await freePort(), await freePort()];
  const services = places.map((port) =>
    restartable(() =>
      startService({
        ...environment(port, sandbox.url),
        ...keyFiles(KEYS, "TELNYX_API_KEY", "TELNYX_PUBLIC_KEY", "TELNYX_CONNECTION_ID", "SECRET_KEYS"),
        PUBLIC_URL: url,
        DATABASE_URL: database.url,
        TELNYX_API_BASE: `http://127.0.0.1:${commands}`,
        VOICE_WS_URL: `ws://localhost:${browsers}`,
        STRIPE_WEBHOOK_SECRET: secret,
        STOP_NOTICE_SECONDS: String(NOTICE_SECONDS),
      }),
    ),
  );
  const programs = [...(await Promise.all(services)), ...exchanges];
  startProxy("haproxy.cfg", { 3080: door, 3000: places[0], 3010: places[1] });
  startProxy("exchanges.cfg", { 3082: browsers, 3002: ports.browsers[0], 3012: ports.browsers[1] });
  startProxy("commands.cfg", { 3086: commands, 3006: ports.commands[0], 3016: ports.commands[1] });
  for (const probe of [`${url}/api/ready`, `http://127.0.0.1:${browsers}/readyz`]) await untilGood(probe);

  const customer = await register(url);
  const [calls, payments, pages] = [new CallLoad({ url }, CALLS), new Load(url, PAYMENTS), new PageLoad(url, PAGES)];
  for (const load of [calls, payments, pages]) load.start();
  const refused: string[] = [];
  for (const step of STEPS) {
    if (step === "drop") await expireCredentials(database.url);
    keys("--turn", step);
    secret = WEBHOOK_SECRETS[step];
    for (const program of programs) {
      await pause(BETWEEN_MS);
      await program.restart();
    }
    for (const status of [await customer.signIn(), await customer.visit()])
      if (status !== 200) refused.push(`After ${step}, a customer from before was answered ${status}.`);
    const [called, paid] = [calls.answered.size, payments.paid.size];
    await until(
      "calls and payments after the step",
      () => calls.answered.size > called + CALLS.callers && payments.paid.size > paid,
    );
  }
  await Promise.all([calls, payments, pages].map((load) => load.stop()));

  for (const one of await unsettled(calls, database.url)) refused.push(one);
  await calls.leave();
  for (const [status, count] of payments.outcomes)
    if (Number(status) >= 400) refused.push(`${count} requests were answered ${status}.`);
  for (const [reason, count] of calls.failures) refused.push(`${count} calls failed: ${reason}`);
  for (const one of refused) say(`WRONG: ${one}`);
  say(
    `${STEPS.length} steps, ${STEPS.length * programs.length} restarts: ${calls.answered.size} calls, ${payments.paid.size} payments, ${pages.requests} pages; ` +
      `${refused.length + pages.failed + payments.failed} faults.`,
  );
  return refused.length + pages.failed + payments.failed === 0;
}

function keys(...parameters: readonly string[]): void {
  execFileSync(process.execPath, [CLI, "keys", KEYS, ...parameters], { env: {}, stdio: "ignore" });
}

async function startExchanges(url: string, carrier: number): Promise<[Program[], { browsers: number[]; commands: number[] }]> {
  const trunks = join(folder, "trunks.json");
  writeFileSync(trunks, sandboxTrunks(carrier));
  const ports = { browsers: [await freePort(), await freePort()], commands: [await freePort(), await freePort()] };
  const sipPort = await freePort();
  const programs = ["a", "b"].map((name, n) =>
    restartable(() =>
      startExchange(Number(ports.browsers[n]), {
        PATH: process.env["PATH"] ?? "",
        VOICE_NODE: name,
        VOICE_NODES: `a=http://127.0.0.1:${ports.commands[0]} b=http://127.0.0.1:${ports.commands[1]}`,
        VOICE_PORT: String(ports.browsers[n]),
        VOICE_CONTROL_PORT: String(ports.commands[n]),
        SIP_PORT: String(sipPort),
        RTP_BIND_IP: ADDRESSES[n] ?? "",
        WEBHOOK_URL: `${url}/api/webhooks/telnyx`,
        ALLOWED_ORIGINS: url,
        SIP_TRUNKS: trunks,
        VOICE_JOURNAL: join(folder, `${name}.journal`),
        STOP_NOTICE_SECONDS: String(NOTICE_SECONDS),
        LOG_LEVEL: "fatal",
        ...keyFiles(KEYS, "TELNYX_API_KEY", "TELNYX_CONNECTION_ID", "EXCHANGE_TOKEN_KEY", "EXCHANGE_SIGNING_KEY"),
      }),
    ),
  );
  return [await Promise.all(programs), ports];
}

/** A customer with a session and a password from before the first step. */
async function register(url: string) {
  const email = "before@example.com";
  const { token } = await ask<{ token: string }>(`${url}/api/register`, { body: registration(email) });
  return {
    signIn: async () => (await request(`${url}/api/login`, { body: { email, password: PASSWORD } })).status,
    visit: async () => (await request(`${url}/api/user`, { token })).status,
  };
}

/** The old keys are dropped two days after the new ones are used, when pages have long got new credentials to call with. */
async function expireCredentials(databaseUrl: string): Promise<void> {
  await readRows(databaseUrl, "delete from voice_credential");
}

/** The last calls need a moment. @returns what is missing after it */
async function unsettled(calls: CallLoad, databaseUrl: string): Promise<string[]> {
  let found: string[] = [];
  await until("settled calls", async () => (found = await calls.compare(databaseUrl)).length === 0).catch(() => {});
  return found;
}
