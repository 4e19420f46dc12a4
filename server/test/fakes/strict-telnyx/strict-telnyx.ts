import { generateKeyPairSync, randomUUID, sign } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { TelnyxAccount } from "./telnyx-account.ts";
import { KNOWN_HABITS, TelnyxLegs, type Habits, type TelnyxEvent, type TelnyxLeg } from "./telnyx-legs.ts";
import { ruleOf, type TelnyxRequest } from "./telnyx-rules.ts";

/** How long a repeated command id is ignored. */
const SAME_COMMAND_MS = 60_000;
const MAX_DELIVERIES = 200;
const MAX_ATTEMPTS = 5;
const OK = { data: { result: "ok" } };

/** How events are delivered to the service. */
export interface Delivery {
  lost?: (event: TelnyxEvent) => boolean;
  /** Delivers each event twice. */
  repeated?: boolean;
  /** Delivers the newest event first. */
  reversed?: boolean;
}

/** Posts a signed event to the service and returns the HTTP status. */
type Post = (body: string, headers: Record<string, string>) => Promise<number>;

class Refusal extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, text: string) {
    super(text);
    this.status = status;
    this.code = code;
  }
}

/**
 * Telnyx as its documentation and its client's types describe it, over real HTTP. Anything else is refused and recorded in
 * `refused`, which tests expect to stay empty. `habits` is the behaviour of a live account where the documentation is silent.
 */
export class StrictTelnyx {
  readonly habits: Habits = { ...KNOWN_HABITS };
  readonly refused: string[] = [];
  readonly requests: TelnyxRequest[] = [];
  readonly account = new TelnyxAccount();
  readonly calls: TelnyxLegs;
  readonly connectionId: string;
  /** Fails a request before it takes effect. */
  failing: (request: TelnyxRequest) => boolean = () => false;
  readonly #commands = new Map<string, number>();
  readonly #keys = generateKeyPairSync("ed25519");
  readonly #server: Server;
  readonly #now: () => Date;

  private constructor(now: () => Date) {
    this.#now = now;
    this.connectionId = String(this.account.createConnection({ outbound: { call_parking_enabled: true } })["id"]);
    this.calls = new TelnyxLegs({ habits: this.habits, connectionId: this.connectionId, now });
    this.#server = createServer((request, response) => void this.#serve(request, response));
  }

  static async start(now: () => Date): Promise<StrictTelnyx> {
    const telnyx = new StrictTelnyx(now);
    await new Promise<void>((resolve) => telnyx.#server.listen(0, "127.0.0.1", resolve));
    return telnyx;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/v2`;
  }

  get publicKey(): string {
    return this.#keys.publicKey.export({ format: "der", type: "spki" }).subarray(-32).toString("base64");
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  commandsOf(action: string): TelnyxRequest[] {
    return this.requests.filter(({ path }) => path.endsWith(`/actions/${action}`));
  }

  /** Delivers events, and those that they cause, until none is left. Retries refused ones as often as Telnyx does. */
  async deliver(post: Post, { lost = () => false, repeated = false, reversed = false }: Delivery = {}): Promise<void> {
    const { events } = this.calls;
    const tries = new Map<TelnyxEvent, number>();
    for (let count = 0; events.length > 0; count++) {
      if (count > MAX_DELIVERIES) throw new Error("The events never end.");
      const event = (reversed ? events.pop() : events.shift()) as TelnyxEvent;
      if (lost(event)) continue;
      for (let time = 0; time < (repeated ? 2 : 1); time++) {
        const status = await post(event.body, this.#signatureOf(event.body));
        const tried = (tries.get(event) ?? 0) + 1;
        tries.set(event, tried);
        if (status >= 300 && tried < MAX_ATTEMPTS) events.push(event);
      }
    }
  }

  #signatureOf(body: string): Record<string, string> {
    const timestamp = String(Math.floor(Date.now() / 1000));
    const signature = sign(null, Buffer.from(`${timestamp}|${body}`), this.#keys.privateKey).toString("base64");
    return {
      "content-type": "application/json",
      "telnyx-signature-ed25519": signature,
      "telnyx-timestamp": timestamp,
    };
  }

  async #serve(message: IncomingMessage, response: ServerResponse): Promise<void> {
    const text = (await message.toArray()).map(String).join("");
    const url = new URL(message.url ?? "", "http://telnyx");
    const request: TelnyxRequest = {
      method: message.method ?? "",
      path: decodeURIComponent(url.pathname).replace(/^\/v2/, ""),
      query: Object.fromEntries(url.searchParams),
      body: text === "" ? {} : (JSON.parse(text) as Record<string, unknown>),
    };
    this.requests.push(request);
    response.setHeader("content-type", "application/json");
    try {
      if (!message.headers.authorization?.startsWith("Bearer KEY")) throw new Refusal(401, "10009", "Authentication failed");
      if (this.failing(request)) throw new Refusal(500, "10007", "Unexpected error");
      const answer = this.#answer(request);
      if (typeof answer === "string") response.setHeader("content-type", "text/plain");
      response.end(typeof answer === "string" ? answer : JSON.stringify(answer));
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      response.statusCode = error.status;
      response.setHeader("retry-after-ms", "1");
      response.end(JSON.stringify({ errors: [{ code: error.code, title: error.message }] }));
    }
  }

  #answer(request: TelnyxRequest): object | string {
    const rule = ruleOf(request);
    if ("problem" in rule) {
      this.refused.push(rule.problem);
      throw new Refusal(rule.problem.startsWith("Telnyx has no") ? 404 : 422, "10015", rule.problem);
    }
    const [id = ""] = rule.ids;
    if (rule.path.includes("/calls/:id/actions/")) return this.#command(rule.path, id, request.body);
    switch (rule.path) {
      case "GET /calls/:id":
        return { data: this.calls.status(this.#leg(id)) };
      case "GET /connections/:id/active_calls":
        return this.#activeCalls(request.query);
      case "GET /detail_records":
        return this.#records(request.query);
      default:
        return this.#accountAnswer(rule.path, id, request);
    }
  }

  #leg(id: string): TelnyxLeg {
    const leg = this.calls.find(id);
    if (leg === undefined) throw new Refusal(422, "90015", "Invalid Call Control ID");
    return leg;
  }

  #command(path: string, id: string, body: Readonly<Record<string, unknown>>): object {
    const leg = this.#leg(id);
    if (leg.endedAt !== null) throw new Refusal(422, "90018", "Call has already ended");
    const name = `${id} ${(body["command_id"] as string | undefined) ?? randomUUID()}`;
    const now = this.#now().getTime();
    if (now - (this.#commands.get(name) ?? -SAME_COMMAND_MS) < SAME_COMMAND_MS) return OK;
    if (path.endsWith("/transfer")) this.#transfer(leg, body);
    else if (path.endsWith("/answer")) this.calls.answer(leg);
    else if (leg.answeredAt === null) this.calls.end(leg, { cause: "originator_cancel", sip: "487" });
    else this.calls.end(leg, { cause: "normal_clearing", sip: "200" });
    this.#commands.set(name, now);
    return OK;
  }

  #transfer(leg: TelnyxLeg, body: Readonly<Record<string, unknown>>): void {
    if (this.habits.transferNeedsAnswer && leg.answeredAt === null) throw new Refusal(422, "90034", "Call not answered yet");
    const second = this.calls.far.some(({ sessionId, endedAt }) => sessionId === leg.sessionId && endedAt === null);
    if (second) this.refused.push("a call was dialled twice");
    this.calls.transfer(leg, {
      to: String(body["to"]),
      from: (body["from"] as string | undefined) ?? leg.to,
      clientState: (body["target_leg_client_state"] as string | undefined) ?? null,
      timeLimitSecs: Number(body["time_limit_secs"] ?? 14_400),
      timeoutSecs: Number(body["timeout_secs"] ?? 30),
    });
  }

  /** A list with cursor pagination as documented, without page numbers. */
  #activeCalls(query: Readonly<Record<string, string>>): object {
    const limit = Number(query["page[limit]"] ?? 20);
    const from = Number(query["page[after]"]?.replace("v1:", "") ?? 0);
    const living = this.calls.legs.filter(({ endedAt }) => endedAt === null);
    const data = living.slice(from, from + limit).map((leg) => this.calls.status(leg));
    const after = from + limit < living.length ? `v1:${from + limit}` : null;
    return { data, meta: { total_items: living.length, cursors: { after, before: null }, next: null, previous: null } };
  }

  #records(query: Readonly<Record<string, string>>): object {
    const all = this.calls.records(query["filter[telnyx_session_id]"]);
    const data = query["filter[record_type]"] === "sip-trunking" ? all : [];
    return { data, meta: { page_number: 1, total_pages: 1, total_results: data.length, page_size: 50 } };
  }

  #accountAnswer(path: string, id: string, { body, query }: TelnyxRequest): object | string {
    const { account } = this;
    switch (path) {
      case "GET /balance": {
        const { balance } = account;
        return { data: { record_type: "balance", balance, available_credit: balance, credit_limit: "0.00", currency: "USD" } };
      }
      case "GET /phone_numbers":
        return list(account.numbers, ({ phone_number: number }) => number === query["filter[phone_number]"]);
      case "PATCH /phone_numbers/:id":
        return change(account.numbers, id, body);
      case "GET /outbound_voice_profiles":
        return list(account.profiles, ({ name }) => String(name).includes(query["filter[name][contains]"] ?? ""));
      case "POST /outbound_voice_profiles":
        return { data: account.createProfile(body) };
      case "GET /outbound_voice_profiles/:id":
        return found(account.profiles, id);
      case "PATCH /outbound_voice_profiles/:id":
        return change(account.profiles, id, body);
      case "GET /credential_connections":
        return list(account.connections, (one) =>
          String(one["connection_name"]).includes(query["filter[connection_name][contains]"] ?? ""),
        );
      case "POST /credential_connections":
        return { data: account.createConnection(body) };
      case "GET /credential_connections/:id":
        return found(account.connections, id);
      case "PATCH /credential_connections/:id":
        return change(account.connections, id, body);
      default:
        return this.#credential(path, id, body);
    }
  }

  #credential(path: string, id: string, body: Readonly<Record<string, unknown>>): object | string {
    const { credentials, connections } = this.account;
    if (path === "POST /telephony_credentials") {
      if (!connections.has(String(body["connection_id"]))) throw new Refusal(422, "10015", "Unknown connection");
      const made = randomUUID();
      credentials.add(made);
      return {
        data: { id: made, sip_username: `gencred${made.replaceAll("-", "")}`, expires_at: body["expires_at"], expired: false },
      };
    }
    if (!credentials.has(id)) throw new Refusal(404, "10005", "Resource not found");
    if (path.endsWith("/token")) return `header.${id}.signature`;
    credentials.delete(id);
    return { data: { id } };
  }
}

function list(all: ReadonlyMap<string, Record<string, unknown>>, fits: (one: Record<string, unknown>) => boolean): object {
  const data = [...all.values()].filter((one) => fits(one));
  return { data, meta: { page_number: 1, page_size: 250, total_pages: 1, total_results: data.length } };
}

function found(all: ReadonlyMap<string, Record<string, unknown>>, id: string): { data: Record<string, unknown> } {
  const data = all.get(id);
  if (data === undefined) throw new Refusal(404, "10005", "Resource not found");
  return { data };
}

/** A nested object is replaced as a whole. */
function change(all: Map<string, Record<string, unknown>>, id: string, body: Readonly<Record<string, unknown>>): object {
  const { data } = found(all, id);
  all.set(id, { ...data, ...body });
  return found(all, id);
}
