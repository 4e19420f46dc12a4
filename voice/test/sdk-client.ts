import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { MICROPHONE_OPEN } from "@farline/contract/constants.ts";
import { WebSocket } from "ws";

export interface Message {
  readonly id?: string | number;
  readonly method?: string;
  readonly params?: Record<string, unknown>;
  readonly result?: Record<string, unknown>;
  readonly error?: { readonly code: number; readonly message: string };
  readonly voice_sdk_id?: string;
}

const acknowledged = new Set(
  ["answer", "candidate", "display", "ringing", "bye", "media", "invite", "attach"].map((name) => `telnyx_rtc.${name}`),
);

/** Sends the frames of `@telnyx/webrtc` 2.27.10: requests, responses and pings. */
export class SdkClient {
  readonly socket: WebSocket;
  /** All received frames. */
  readonly received: Message[] = [];
  readonly #waiting: { wants: (message: Message) => boolean; resolve: (message: Message) => void }[] = [];
  #taken = new WeakSet<Message>();
  sessid: string | null = null;
  voiceSdkId: string | null = null;

  constructor(url: string, origin: string, localAddress?: string) {
    this.socket = new WebSocket(url, { origin, localAddress });
    this.socket.on("message", (data: Buffer) => this.#receive(JSON.parse(data.toString("utf8")) as Message));
  }

  static async open(url: string, origin: string, localAddress?: string): Promise<SdkClient> {
    const client = new SdkClient(url, origin, localAddress);
    await once(client.socket, "open");
    return client;
  }

  send(frame: Record<string, unknown>): void {
    this.socket.send(JSON.stringify({ jsonrpc: "2.0", ...frame }));
  }

  /** Sends a request and waits for its response. */
  async request(method: string, params: Record<string, unknown>): Promise<Message> {
    const id = randomUUID();
    this.send({ id, method, params });
    return this.#next((message) => message.id === id && message.method === undefined);
  }

  /** Resolves to the next server message of a method. */
  next(method: string): Promise<Message> {
    return this.#next((message) => message.method === `telnyx_rtc.${method}`);
  }

  /** Resolves to the next server message of a call that has one of these methods. */
  nextOf(callID: string, methods: readonly string[]): Promise<Message> {
    const wanted = methods.map((method) => `telnyx_rtc.${method}`);
    return this.#next(({ method = "", params }) => params?.["callID"] === callID && wanted.includes(method));
  }

  /** Signs in like the SDK. Resolves once registered; `reattached` is the list in clientReady. */
  async login(token: string, sessid: string | null = null): Promise<{ reattached: unknown }> {
    const answer = await this.request("login", {
      login_token: token,
      userVariables: { push_when_active: false, pn_late_fanout: false },
      reconnection: sessid !== null,
      loginParams: { early_sdp_answer: false },
      "User-Agent": { sdkVersion: "2.27.10", data: "Mozilla/5.0" },
      ...(sessid === null ? {} : { sessid }),
    });
    if (answer.error !== undefined) throw new Error(`login: ${answer.error.code} ${answer.error.message}`);
    this.sessid = String(answer.result?.["sessid"]);
    const ready = await this.next("clientReady");
    await this.request("telnyx_rtc.gatewayState", {});
    return { reattached: ready.params?.["reattached_sessions"] };
  }

  dialog(callID: string, more: Record<string, unknown> = {}): Record<string, unknown> {
    return {
      callID,
      destination_number: "+442079460000",
      remote_caller_id_name: "Outbound Call",
      remote_caller_id_number: "+442079460000",
      caller_id_name: "Ann",
      caller_id_number: "+12025550143",
      clientState: "eyJjYWxsIjoiYWJjIn0=",
      custom_headers: [{ name: "X-Call-Ref", value: "abc" }],
      audio: true,
      video: false,
      useStereo: false,
      attach: false,
      screenShare: false,
      userVariables: { microphoneLabel: "Fake Default Audio Input" },
      mediaSettings: { useSdpASBandwidthKbps: false, sdpASBandwidthKbps: 0 },
      prefetchIceCandidates: false,
      iceServers: [],
      ...more,
    };
  }

  invite(callID: string, sdp: string, more: Record<string, unknown> = {}): Promise<Message> {
    return this.request("telnyx_rtc.invite", {
      sessid: this.sessid,
      sdp,
      "User-Agent": "Web-2.27.10",
      trickle: true,
      dialogParams: this.dialog(callID, more),
    });
  }

  /** Says that a call's microphone is open, as the web app does: nobody is rung before. */
  microphoneIsOpen(callID: string): Promise<Message> {
    const msg = { from: "", to: "", body: MICROPHONE_OPEN };
    return this.request("telnyx_rtc.info", { sessid: this.sessid, msg, dialogParams: { callID } });
  }

  bye(callID: string): Promise<Message> {
    const params = {
      sipCode: null,
      sip_call_id: null,
      sessid: this.sessid,
      cause: "USER_BUSY",
      causeCode: 17,
      dialogParams: this.dialog(callID),
    };
    return this.request("telnyx_rtc.bye", params);
  }

  async close(): Promise<void> {
    if (this.socket.readyState === WebSocket.CLOSED) return;
    const closed = once(this.socket, "close");
    this.socket.close();
    await closed;
  }

  /** Drops the connection without closing it, like a lost network. */
  drop(): void {
    this.socket.terminate();
  }

  #next(wants: (message: Message) => boolean): Promise<Message> {
    const there = this.received.find((message) => !this.#taken.has(message) && wants(message));
    if (there !== undefined) {
      this.#taken.add(there);
      return Promise.resolve(there);
    }
    return new Promise((resolve) => this.#waiting.push({ wants, resolve }));
  }

  #receive(message: Message): void {
    this.received.push(message);
    if (message.voice_sdk_id !== undefined) this.voiceSdkId = message.voice_sdk_id;
    if (message.method !== undefined && acknowledged.has(message.method))
      this.send({ id: message.id, result: { method: message.method } });
    if (message.method === "telnyx_rtc.ping") void this.request("telnyx_rtc.ping", {});
    const index = this.#waiting.findIndex(({ wants }) => wants(message));
    if (index < 0) return;
    const [waiter] = this.#waiting.splice(index, 1);
    this.#taken.add(message);
    waiter?.resolve(message);
  }
}
