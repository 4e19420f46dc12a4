import { randomUUID } from "node:crypto";
import { PASSWORD } from "@farline/e2e/support/customer.ts";
import type { Product } from "@farline/e2e/support/product.ts";
import { BrowserPhone } from "@farline/voice/test/audio-ends.ts";
import { SdkClient } from "@farline/voice/test/sdk-client.ts";
import { until } from "./until.ts";

const CALLERS_SAMPLE = 0x2a;
const DOLLARS = 10;

/** A customer of a running product who makes calls without a page. */
export class ScriptedCaller {
  readonly #product: Product;
  readonly #token: string;
  readonly #ends: (() => unknown)[] = [];
  #hangUp: () => Promise<unknown> = () => Promise.resolve();

  private constructor(product: Product, token: string) {
    this.#product = product;
    this.#token = token;
  }

  static async signUp(product: Product): Promise<ScriptedCaller> {
    const email = `${randomUUID()}@example.com`;
    const body = { name: "Grace Mensah", email, password: PASSWORD, password_confirmation: PASSWORD };
    const { token } = await request<{ token: string }>(product, "/api/register", { body });
    const customer = new ScriptedCaller(product, token);
    await request(product, "/api/billing/test-credit", { token, body: { amount: DOLLARS } });
    return customer;
  }

  /** Calls a number and resolves to the call's id once it is answered. */
  async call(number: string): Promise<string> {
    const token = this.#token;
    const { token: voiceToken } = await request<{ token: string }>(this.#product, "/api/calls/token", { token });
    const started = await request<{ call: { id: string }; ticket: string }>(this.#product, "/api/calls/initiate", {
      token,
      body: { destination_number: number },
    });
    const client = await SdkClient.open(`ws://localhost:${voicePortOf(this.#product)}/`, this.#product.url);
    client.socket.on("error", () => client.socket.terminate());
    const phone = new BrowserPhone(CALLERS_SAMPLE);
    this.#ends.push(
      () => client.drop(),
      () => phone.close(),
    );
    const callID = randomUUID();
    this.#hangUp = () => client.bye(callID);
    await client.login(voiceToken);
    const clientState = Buffer.from(started.ticket).toString("base64");
    await client.invite(callID, await phone.offer(), { destination_number: number, clientState });
    await phone.accept(String((await client.next("media")).params?.["sdp"]));
    await until("an answer", () => client.received.some(({ method }) => method === "telnyx_rtc.answer"));
    return started.call.id;
  }

  /** Ends the latest call. */
  async hangUp(): Promise<void> {
    await this.#hangUp();
  }

  /** Is gone without a word. */
  async leave(): Promise<void> {
    for (const end of this.#ends.splice(0)) await end();
  }
}

/** `npm start` puts the exchange two ports above the service. */
export function voicePortOf({ url }: Product): number {
  return Number(new URL(url).port) + 2;
}

async function request<Answer>(product: Product, path: string, given: { token?: string; body?: unknown }): Promise<Answer> {
  const answer = await fetch(`${product.url}${path}`, {
    method: given.body === undefined ? "GET" : "POST",
    headers: {
      "content-type": "application/json",
      ...(given.token === undefined ? {} : { authorization: `Bearer ${given.token}` }),
    },
    ...(given.body === undefined ? {} : { body: JSON.stringify(given.body) }),
  });
  if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`);
  return (await answer.json()) as Answer;
}
