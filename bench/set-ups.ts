import { randomBytes, randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { PASSWORD } from "@farline/e2e/support/customer.ts";
import { removeData, startProduct, type Product } from "@farline/e2e/support/product.ts";
import { TONE_LINE } from "@farline/e2e/support/phone-network.ts";
import { BrowserPhone } from "@farline/voice/test/audio-ends.ts";
import { SdkClient } from "@farline/voice/test/sdk-client.ts";
import { rank } from "./spread.ts";

const CALLS_PER_SECOND = 20;
const SECONDS = 60;
/** Not counted: the processes compile their code and open their connections. */
const WARM_UP_SECONDS = 5;
/** Enough for one call at a time each: a caller's next call is due after 60 / 20 seconds, and a call takes far less. */
const CALLERS = 60;
const TIMEOUT_MS = 10_000;
const CALLERS_SAMPLE = 0x2a;

interface Caller {
  readonly client: SdkClient;
  readonly token: string;
}

/**
 * The complete product under load: 20 call set-ups a second for a minute, each from the request to the service until the called
 * line answers; then the caller hangs up. Service, database, exchange, carrier and callers share the machine. A caller sends the page's
 * requests, the SDK's messages and audio, and dials while the service decides. It neither polls its calls nor listens to events.
 */
export async function setUps(): Promise<Record<string, unknown>> {
  // The exchange's limit must not affect the measurement.
  const product = await startProduct({ env: { MAX_CALLS: "1000" } });
  try {
    const callers: Caller[] = [];
    for (let made = 0; made < CALLERS; made += 1) callers.push(await signUp(product, made));
    await placeCalls({ product, callers }, CALLS_PER_SECOND * WARM_UP_SECONDS);
    const outcomes = await placeCalls({ product, callers }, CALLS_PER_SECOND * SECONDS);
    for (const { client } of callers) client.drop();
    const answered = outcomes.filter((one): one is number => typeof one === "number");
    const failed = outcomes.filter((one): one is string => typeof one === "string");
    return {
      callsPerSecond: CALLS_PER_SECOND,
      calls: outcomes.length,
      failures: failed.length,
      kindsOfFailure: [...new Set(failed)].slice(0, 5),
      requestToAnswerMs: { median: rank(answered, 0.5), p95: rank(answered, 0.95), p99: rank(answered, 0.99) },
    };
  } finally {
    await product.stop();
    removeData(product);
  }
}

interface Stage {
  readonly product: Product;
  readonly callers: readonly Caller[];
}

/** Starts calls at an even pace, however long they take. Each outcome is the milliseconds to the answer, or what failed. */
async function placeCalls(stage: Stage, calls: number): Promise<(number | string)[]> {
  const began = performance.now();
  const outcomes: Promise<number | string>[] = [];
  for (let call = 0; call < calls; call += 1) {
    await pause(Math.max(0, began + (call * 1000) / CALLS_PER_SECOND - performance.now()));
    const caller = stage.callers[call % stage.callers.length];
    if (caller === undefined) throw new Error("There are no callers.");
    outcomes.push(placeCall(stage, caller).catch((error: unknown) => (error instanceof Error ? error.message : String(error))));
  }
  return Promise.all(outcomes);
}

async function placeCall({ product }: Stage, { client, token }: Caller): Promise<number> {
  const [callID, ticket] = [randomUUID(), randomBytes(32).toString("base64url")];
  const began = performance.now();
  const phone = new BrowserPhone(CALLERS_SAMPLE);
  const authorised = request(product, "/api/calls/initiate", { destination_number: TONE_LINE, ticket }, token);
  const answered = firstOf(client, callID, phone);
  await client.invite(callID, await phone.offer(), { destination_number: TONE_LINE, clientState: btoa(ticket) });
  await authorised;
  const how = await answered;
  const took = performance.now() - began;
  // The client keeps every message that it receives.
  client.received.length = 0;
  if (how !== "answer") throw new Error(how);
  await client.bye(callID);
  await phone.close();
  return took;
}

/** Connects the audio. Resolves when the call is answered or ends, or after the time-out. */
function firstOf(
  client: SdkClient,
  callID: string,
  phone: BrowserPhone,
): Promise<"answer" | "ended by the exchange" | "nothing in time"> {
  return new Promise((resolve) => {
    const done = (how: "answer" | "ended by the exchange" | "nothing in time") => {
      clearTimeout(timer);
      client.socket.off("message", look);
      resolve(how);
    };
    const timer = setTimeout(() => done("nothing in time"), TIMEOUT_MS);
    const look = (data: Buffer) => {
      const { method, params } = JSON.parse(data.toString("utf8")) as {
        method?: string;
        params?: { callID?: string; sdp?: string };
      };
      if (params?.callID !== callID) return;
      if (method === "telnyx_rtc.media") void phone.accept(String(params.sdp));
      if (method === "telnyx_rtc.answer") done("answer");
      if (method === "telnyx_rtc.bye") done("ended by the exchange");
    };
    client.socket.on("message", look);
  });
}

/** A customer with credit, whose page is connected to the exchange. */
async function signUp(product: Product, serial: number): Promise<Caller> {
  const email = `set-up-${process.pid}-${serial}@example.com`;
  const wanted = { name: "Grace Mensah", email, password: PASSWORD, password_confirmation: PASSWORD };
  const { token } = (await request(product, "/api/register", wanted)) as { token: string };
  await request(product, "/api/billing/test-credit", { amount: 50 }, token);
  const answer = await fetch(`${product.url}/api/calls/token`, { headers: { authorization: `Bearer ${token}` } });
  const grant = (await answer.json()) as { token: string; voice: { host: string } };
  const client = await SdkClient.open(grant.voice.host, product.url);
  await client.login(grant.token);
  return { client, token };
}

async function request(product: Product, path: string, body: unknown, token?: string): Promise<unknown> {
  const answer = await fetch(`${product.url}${path}`, {
    method: "POST",
    body: JSON.stringify(body),
    headers: { "content-type": "application/json", ...(token === undefined ? {} : { authorization: `Bearer ${token}` }) },
  });
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
  return answer.json();
}
