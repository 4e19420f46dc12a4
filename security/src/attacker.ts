import { becomes } from "@farline/drills/support/readiness.ts";
import { randomUUID } from "node:crypto";
import { MICROPHONE_OPEN } from "@farline/contract/constants.ts";
import type { InitiateResponse } from "@farline/contract/calls.ts";
import { ledger } from "@farline/server/ledger/ledger.ts";
import { SdkClient, type Message } from "@farline/voice/test/sdk-client.ts";
import { openTestBrowser, type TestBrowser } from "@farline/voice/test/test-browser.ts";
import type { Installation } from "./product.ts";
import { rawHttp, type RawAnswer } from "./raw-http.ts";

/** Some attacks get no answer, and wait for one twice. */
const ANSWER_WITHIN_MS = 30_000;
export const PASSWORD = "a long enough phrase 42";
/** One frame of silence. */
const FRAME = Buffer.alloc(160, 0xff);

let silentOffer: Promise<string> | undefined;

/** The offer of a browser that never connects. */
async function offerOfSilentBrowser(): Promise<string> {
  const browser = await openTestBrowser();
  await browser.close();
  return browser.offerSdp;
}

/** A signed-in customer who uses the API and sockets directly instead of the web app. */
export class Attacker {
  readonly id: string;
  readonly #installation: Installation;
  readonly #token: string;
  readonly #email: string;
  readonly #lines: Line[] = [];
  readonly #callIds = new Set<string>();

  constructor(installation: Installation, parts: { id: string; email: string; token: string }) {
    this.#installation = installation;
    this.id = parts.id;
    this.#email = parts.email;
    this.#token = parts.token;
  }

  /** Signs up with a verified address and this much credit. */
  static async signUp(installation: Installation, more: { dollars: number }): Promise<Attacker> {
    const body = {
      name: "Eve Raw",
      email: `${randomUUID()}@example.com`,
      password: PASSWORD,
      password_confirmation: PASSWORD,
    };
    const { status, text } = await rawHttp(installation.addresses.port, "/api/register", { method: "POST", body });
    if (status !== 201) throw new Error(`signing up failed: ${text}`);
    const { token, user } = JSON.parse(text) as { token: string; user: { id: string } };
    const { db, pool } = installation.database.handle;
    await pool.query("update customer set email_verified = true, created_at = now() - interval '60 days' where id = $1", [
      user.id,
    ]);
    if (more.dollars > 0)
      await ledger.credit(db, {
        key: `test:${user.id}`,
        customerId: user.id,
        kind: "test_credit",
        amountMicros: BigInt(more.dollars * 1_000_000),
        referenceId: null,
        description: "Test credit",
      });
    return new Attacker(installation, { id: user.id, email: body.email, token });
  }

  /** Signs in again, as on another device. */
  async otherSession(): Promise<Attacker> {
    const body = { email: this.#email, password: PASSWORD };
    const { status, text } = await rawHttp(this.#installation.addresses.port, "/api/login", { method: "POST", body });
    if (status !== 200) throw new Error(`signing in failed: ${text}`);
    const { token } = JSON.parse(text) as { token: string };
    return new Attacker(this.#installation, { id: this.id, email: this.#email, token });
  }

  get bearer(): Record<string, string> {
    return { authorization: `Bearer ${this.#token}` };
  }

  api(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<RawAnswer> {
    return rawHttp(this.#installation.addresses.port, path, { method, body, headers: { ...this.bearer, ...headers } });
  }

  /** Authorises a call, with the attacker's own ticket if one is given. @throws Error when the service refuses */
  async authorise(number: string, headers: Record<string, string> = {}, ticket?: string): Promise<InitiateResponse> {
    const body = { destination_number: number, ...(ticket === undefined ? {} : { ticket }) };
    const answer = await this.api("POST", "/api/calls/initiate", body, headers);
    if (answer.status !== 201) throw new Error(`${number} was not authorised: ${answer.text}`);
    const started = JSON.parse(answer.text) as InitiateResponse;
    this.#callIds.add(started.call.id);
    return started;
  }

  /** Makes an honest call, and waits until it is answered or has ended. @param line by default a new one */
  async call(number: string, line?: Line) {
    const started = await this.authorise(number);
    const own = line ?? (await this.line());
    const callID = await own.invite(number, { clientState: base64(started.ticket) });
    return { started, line: own, callID, outcome: await own.outcome(callID) };
  }

  async voiceToken(): Promise<string> {
    const { status, text } = await this.api("GET", "/api/calls/token");
    if (status !== 200) throw new Error(`no voice token: ${text}`);
    return (JSON.parse(text) as { token: string }).token;
  }

  /** A signed-in socket at the exchange. @param claim another session to impersonate */
  async line(claim: { sessid?: string; voiceSdkId?: string } = {}): Promise<Line> {
    const url = new URL(`ws://127.0.0.1:${this.#installation.addresses.voicePort}/`);
    if (claim.voiceSdkId !== undefined) url.searchParams.set("voice_sdk_id", claim.voiceSdkId);
    const client = await SdkClient.open(url.href, new URL(this.#installation.url).origin);
    client.socket.on("error", () => client.socket.terminate());
    await client.login(await this.voiceToken(), claim.sessid ?? null);
    silentOffer ??= offerOfSilentBrowser();
    const line = new Line(client, await silentOffer);
    this.#lines.push(line);
    return line;
  }

  /** Hangs up all calls and disconnects. */
  async leave(): Promise<void> {
    for (const line of this.#lines.splice(0)) await line.close();
    // A call whose socket was cut stays up until its caller returns or the grace period ends.
    await Promise.all([...this.#callIds].map((id) => this.api("POST", `/api/calls/${id}/hangup`)));
    this.#callIds.clear();
  }
}

/** A socket that sends the SDK's messages and any other message that an attack needs. */
export class Line {
  readonly client: SdkClient;
  /** A valid offer of a browser that never connects. */
  readonly offerSdp: string;
  readonly #callIds = new Set<string>();
  /** By call. */
  readonly #browsers = new Map<string, TestBrowser>();

  constructor(client: SdkClient, offerSdp: string) {
    this.client = client;
    this.offerSdp = offerSdp;
  }

  /** Sends any request; null without a response. */
  async request(method: string, params: Record<string, unknown>): Promise<Message | null> {
    if (!this.isOpen) return null;
    const id = randomUUID();
    this.client.send({ id, method, params });
    const isAnswer = (message: Message) => message.id === id && message.method === undefined;
    await becomes(() => !this.isOpen || this.client.received.some(isAnswer), ANSWER_WITHIN_MS);
    return this.client.received.find(isAnswer) ?? null;
  }

  /** Dials, and is heard as soon as the exchange answers the offer. @returns the callID */
  async invite(to: string, more: Record<string, unknown> = {}): Promise<string> {
    return this.#inviteAs(to, more, (browser) => browser.send(FRAME));
  }

  /** Dials and connects like a browser without a microphone: with keys and no audio. @returns the callID */
  async inviteWithoutMicrophone(to: string, more: Record<string, unknown> = {}): Promise<string> {
    return this.#inviteAs(to, more, async () => undefined);
  }

  async #inviteAs(
    to: string,
    more: Record<string, unknown>,
    onceConnected: (browser: TestBrowser) => Promise<void>,
  ): Promise<string> {
    const callID = typeof more["callID"] === "string" ? more["callID"] : randomUUID();
    const browser = await openTestBrowser();
    this.#browsers.set(callID, browser);
    const invited = this.inviteSilently(to, { ...more, callID }, browser.offerSdp);
    const connected = this.#message("media", callID).then((media) => browser.connect(String(media?.params?.["sdp"])));
    // A call that is refused never gets an answer.
    connected.then(() => onceConnected(browser)).catch(() => undefined);
    return invited;
  }

  /** Says that a call's microphone is open, as the web app does. */
  async claimMicrophone(callID: string): Promise<void> {
    const msg = { from: "", to: "", body: MICROPHONE_OPEN };
    await this.request("telnyx_rtc.info", { sessid: this.client.sessid, msg, dialogParams: { callID } });
  }

  /** Dials, without audio. @returns the callID */
  async inviteSilently(to: string, more: Record<string, unknown> = {}, sdp = this.offerSdp): Promise<string> {
    const callID = typeof more["callID"] === "string" ? more["callID"] : randomUUID();
    this.#callIds.add(callID);
    const dialogParams = this.client.dialog(callID, { destination_number: to, remote_caller_id_number: to, ...more });
    await this.request("telnyx_rtc.invite", { sessid: this.client.sessid, sdp, dialogParams });
    return callID;
  }

  /** The browser of a call. @throws Error for another call */
  browserOf(callID: string): TestBrowser {
    const browser = this.#browsers.get(callID);
    if (browser === undefined) throw new Error("This line did not dial that call.");
    return browser;
  }

  /** The first message of a method about a call; undefined if there is none in time. */
  async #message(method: string, callID: string): Promise<Message | undefined> {
    const find = () =>
      this.client.received.find((one) => one.method === `telnyx_rtc.${method}` && one.params?.["callID"] === callID);
    await becomes(() => find() !== undefined || !this.isOpen, ANSWER_WITHIN_MS);
    return find();
  }

  /** Waits until a call is answered or has ended; "nothing" if neither happens. */
  async outcome(callID: string): Promise<"answered" | "ended" | "nothing"> {
    const has = (method: string) =>
      this.client.received.some((one) => one.method === `telnyx_rtc.${method}` && one.params?.["callID"] === callID);
    await becomes(() => !this.isOpen || has("answer") || has("bye"), ANSWER_WITHIN_MS);
    return has("answer") ? "answered" : has("bye") ? "ended" : "nothing";
  }

  /** Whether the exchange has ended this call. */
  async endedWithin(callID: string, ms: number): Promise<boolean> {
    return becomes(
      () => this.client.received.some((one) => one.method === "telnyx_rtc.bye" && one.params?.["callID"] === callID),
      ms,
    );
  }

  /** The control id that the exchange sends the browser for its leg. */
  async controlId(callID: string): Promise<string> {
    const id = (await this.#message("ringing", callID))?.params?.["telnyx_call_control_id"];
    return typeof id === "string" ? id : "v3:unknown";
  }

  async bye(callID: string, cause = "NORMAL_CLEARING"): Promise<void> {
    await this.request("telnyx_rtc.bye", { sessid: this.client.sessid, cause, dialogParams: { callID } });
  }

  get isOpen(): boolean {
    return this.client.socket.readyState === this.client.socket.OPEN;
  }

  async close(): Promise<void> {
    for (const callID of this.#callIds) if (this.isOpen) await this.bye(callID);
    this.client.drop();
    await Promise.all([...this.#browsers.values()].map((browser) => browser.close()));
  }
}

/** The encoding in which the SDK sends a ticket. */
export function base64(text: string): string {
  return Buffer.from(text).toString("base64");
}
