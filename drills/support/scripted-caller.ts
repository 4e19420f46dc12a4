import { randomBytes, randomUUID } from "node:crypto";
import { once } from "node:events";
import type { Product } from "@farline/e2e/support/product.ts";
import { settleWithin } from "@farline/domain/durations.ts";
import { BrowserPhone } from "@farline/voice/test/audio-ends.ts";
import { type Message, SdkClient } from "@farline/voice/test/sdk-client.ts";
import { ask, registration } from "./api.ts";

const CALLERS_SAMPLE = 0x2a;
const DOLLARS = 10;
/** A killed exchange answers nothing. */
const ANSWER_WITHIN_MS = 20_000;

interface AnsweredCall {
  readonly id: string;
  /** From the request to the service until its answer. */
  readonly initiateMs: number;
  /** From the request to the service until the called phone answers. */
  readonly answeredMs: number;
}

interface Dialled {
  readonly callID: string;
  readonly client: SdkClient;
  readonly phone: BrowserPhone;
}

/** A customer of a running product who makes calls without a page, over one connection for all calls. */
export class ScriptedCaller {
  readonly #product: Pick<Product, "url">;
  readonly #token: string;
  readonly #silent: boolean;
  #client: SdkClient | null = null;
  #latest: Dialled | null = null;

  private constructor(product: Pick<Product, "url">, token: string, silent: boolean) {
    this.#product = product;
    this.#token = token;
    this.#silent = silent;
  }

  /** @param options.silent sends no audio, but receives it */
  static async signUp(
    product: Pick<Product, "url">,
    options: { dollars?: number; silent?: boolean } = {},
  ): Promise<ScriptedCaller> {
    const body = registration(`${randomUUID()}@example.com`);
    const { token } = await ask<{ token: string }>(`${product.url}/api/register`, { body });
    const caller = new ScriptedCaller(product, token, options.silent ?? false);
    await ask(`${product.url}/api/billing/test-credit`, { token, body: { amount: options.dollars ?? DOLLARS } });
    return caller;
  }

  /** Signs in to the exchange, as an open page does. */
  async connect(): Promise<SdkClient> {
    if (this.#client?.socket.readyState === WebSocket.OPEN) return this.#client;
    const grant = await ask<{ token: string; voice: { host: string } }>(`${this.#product.url}/api/calls/token`, {
      token: this.#token,
    });
    const client = await SdkClient.open(grant.voice.host, this.#product.url);
    client.socket.on("error", () => client.socket.terminate());
    await client.login(grant.token);
    this.#client = client;
    return client;
  }

  /**
   * Calls a number, and dials while the service decides. Resolves once the call is answered.
   * @throws Error if it is refused, ends or is not answered in time
   */
  call(number: string): Promise<AnsweredCall> {
    return inTime(this.#call(number));
  }

  /** Whether the latest call was ended by somebody else. */
  get cut(): boolean {
    const { client, callID } = this.#latest ?? {};
    return client?.received.some((one) => one.method === "telnyx_rtc.bye" && one.params?.["callID"] === callID) ?? false;
  }

  /** Whether the latest call's audio arrives: the other side's, or the caller's own from a line that echoes. */
  get hears(): boolean {
    const { heard } = this.#latest?.phone ?? {};
    return heard !== undefined && (heard.of(CALLERS_SAMPLE) > 0 || (this.#silent && heard.lastSecond.length > 0));
  }

  /** Ends the latest call. */
  async hangUp(): Promise<void> {
    if (this.#latest === null) return;
    const { client, callID, phone } = this.#latest;
    await inTime(client.bye(callID));
    await phone.close();
    this.#latest = null;
  }

  /** Disappears without hanging up. */
  async leave(): Promise<void> {
    this.#client?.drop();
    this.#client = null;
    await this.#latest?.phone.close();
    this.#latest = null;
  }

  async #call(number: string): Promise<AnsweredCall> {
    const phone = new BrowserPhone(this.#silent ? null : CALLERS_SAMPLE);
    const offer = await phone.offer();
    // After the offer: an exchange that drains may close the socket while it is made.
    const client = await this.connect().catch(async (error: unknown) => {
      await phone.close();
      throw error;
    });
    const ticket = randomBytes(32).toString("base64url");
    const began = performance.now();
    const dialOn = (line: SdkClient) => this.#dial({ callID: randomUUID(), client: line, phone }, { number, ticket, offer });
    const answered = dialOn(client).catch(async (error: unknown) => {
      if (!(error instanceof LineLost)) throw error;
      return dialOn(await this.connect());
    });
    const [{ id, initiateMs }] = await Promise.all([this.#initiate(number, ticket), answered]);
    return { id, initiateMs, answeredMs: performance.now() - began };
  }

  /**
   * Dials, connects the audio and waits for the answer.
   * @throws LineLost if the exchange never had the leg: a page then dials once more, with the same ticket
   * @throws Error with what the exchange says when it ends the call instead
   */
  async #dial(dialled: Dialled, given: { number: string; ticket: string; offer: string }): Promise<void> {
    const { client, phone, callID } = dialled;
    this.#latest = dialled;
    // The client keeps every message that it receives.
    client.received.length = 0;
    const to = { destination_number: given.number, clientState: btoa(given.ticket) };
    await unlessLost(client, client.invite(callID, given.offer, to));
    const media = await client.nextOf(callID, ["media", "bye"]);
    if (media.method !== "telnyx_rtc.media") throw ended(media);
    await phone.accept(String(media.params?.["sdp"]));
    await client.microphoneIsOpen(callID);
    const answer = await client.nextOf(callID, ["answer", "bye"]);
    if (answer.method !== "telnyx_rtc.answer") throw ended(answer);
  }

  async #initiate(number: string, ticket: string): Promise<Pick<AnsweredCall, "id" | "initiateMs">> {
    const began = performance.now();
    const { call } = await ask<{ call: { id: string } }>(`${this.#product.url}/api/calls/initiate`, {
      token: this.#token,
      body: { destination_number: number, ticket },
    });
    return { id: call.id, initiateMs: performance.now() - began };
  }
}

function ended({ params = {} }: Message): Error {
  return new Error(`The exchange ended the call: ${String(params["sipCode"])} ${String(params["sipReason"])}`);
}

class LineLost extends Error {}

/** @throws LineLost if the socket is closed before the exchange has answered */
async function unlessLost<Answer>(client: SdkClient, answer: Promise<Answer>): Promise<Answer> {
  const over = new AbortController();
  const lost = once(client.socket, "close", { signal: over.signal }).then(() => Promise.reject(new LineLost()));
  // Once the exchange has answered, nobody waits for the close.
  lost.catch(() => undefined);
  try {
    return await Promise.race([answer, lost]);
  } finally {
    over.abort();
  }
}

/** `npm start` puts the exchange two ports above the service. */
export function voicePortOf({ url }: Pick<Product, "url">): number {
  return Number(new URL(url).port) + 2;
}

function inTime<Value>(work: Promise<Value>): Promise<Value> {
  return settleWithin(work, ANSWER_WITHIN_MS, () => Promise.reject(new Error("There was no answer in time.")));
}
