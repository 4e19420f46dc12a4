import { generateKeyPairSync, randomUUID, sign } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface ScriptedLeg {
  alive: boolean;
  endedAt: string | null;
  /** Its age in the list of live legs; absent if it is not listed. */
  seconds?: number;
  /** Omitted from the response if undefined, as the real provider does. */
  answeredAt?: string | null;
}

export interface ReceivedCommand {
  method: string;
  path: string;
  body: Record<string, unknown>;
}

export interface EventToSend {
  type: string;
  callControlId: string;
  occurredAt: Date;
  id?: string;
  payload?: Record<string, unknown>;
}

const CONNECTION = "connection-1";

/**
 * The voice provider's REST API and webhooks, over real HTTP with real signatures. Tests script lost events, refused commands
 * and outages.
 */
export class ScriptedTelnyx {
  readonly connectionId = CONNECTION;
  readonly commands: ReceivedCommand[] = [];
  readonly legs = new Map<string, ScriptedLeg>();
  readonly credentials = new Set<string>();
  parking = true;
  /** Our exchange's commands that Telnyx does not have. */
  extraCommands: string[] = ["extend", "echo", "prices"];
  /** The answer of our exchange's `GET /v2/trunks`; it must also be in `extraCommands`. */
  trunks: Record<string, unknown>[] = [];
  /** The same of `GET /v2/exchanges`. */
  exchanges: Record<string, unknown>[] = [];
  /** While set, every request fails with this. `plain`: a proxy answers, with a page of its own. */
  failure: { status: number; code?: string; plain?: true } | null = null;
  transferFailure: { status: number; code?: string } | null = null;
  extendFailure: { status: number; code?: string } | null = null;
  hangUpFailure: { status: number; code?: string } | null = null;
  /** Refuses transfers with this caller id. */
  refusedFrom: string | null = null;
  numberFailure: { status: number; code?: string; only?: "call" } | null = null;
  /** The code read to every number, valid once. `proof` null: the provider keeps a list of verified numbers, like the real one. */
  spokenCode = "123456";
  proof: string | null = "scripted-proof";
  readonly #called = new Set<string>();
  /** Verified numbers, which it does not call again. Null: it calls every number, like our exchange. */
  listed: Set<string> | null = null;
  /** The answer of `GET /v2/call_events`, two a page: every event that was made. Null: this provider keeps none. */
  events: Record<string, unknown>[] | null = [];
  #credentialCount = 0;
  /** The dialled number of each far leg, by its `client_state`, for the leg's events. */
  readonly #dialled = new Map<unknown, unknown>();
  readonly #keys = generateKeyPairSync("ed25519");
  readonly #server: Server;

  private constructor() {
    this.#server = createServer((request, response) => void this.#serve(request, response));
  }

  static async start(): Promise<ScriptedTelnyx> {
    const provider = new ScriptedTelnyx();
    await new Promise<void>((resolve) => provider.#server.listen(0, "127.0.0.1", resolve));
    return provider;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/v2`;
  }

  /** As configured in the service: the raw 32 bytes in base64. */
  get publicKey(): string {
    return this.#keys.publicKey.export({ format: "der", type: "spki" }).subarray(-32).toString("base64");
  }

  commandsOf(action: string): ReceivedCommand[] {
    return this.commands.filter(({ path }) => path.endsWith(`/${action}`));
  }

  /** Clears commands and failures; keeps legs and credentials. */
  calmDown(): void {
    this.commands.length = 0;
    this.failure = null;
    this.transferFailure = null;
    this.extendFailure = null;
    this.hangUpFailure = null;
    this.numberFailure = null;
    this.proof = "scripted-proof";
    this.listed = null;
    this.parking = true;
    this.extraCommands = ["extend", "echo", "prices"];
  }

  /** The body and headers of a delivery. */
  signed(body: string, timestampSeconds = Math.floor(Date.now() / 1000)): { body: string; headers: Record<string, string> } {
    const signature = sign(null, Buffer.from(`${timestampSeconds}|${body}`), this.#keys.privateKey).toString("base64");
    const headers = {
      "content-type": "application/json",
      "telnyx-signature-ed25519": signature,
      "telnyx-timestamp": String(timestampSeconds),
    };
    return { body, headers };
  }

  eventBody(event: EventToSend): string {
    const to = this.#dialled.get(event.payload?.["client_state"]);
    const payload = { call_control_id: event.callControlId, connection_id: CONNECTION, to, ...event.payload };
    const data = {
      record_type: "event",
      event_type: event.type,
      id: event.id ?? randomUUID(),
      occurred_at: event.occurredAt.toISOString(),
      payload,
    };
    this.events?.push(data);
    return JSON.stringify({ data, meta: { attempt: 1 } });
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const text = (await request.toArray()).map(String).join("");
    const path = decodeURIComponent(request.url ?? "").replace(/^\/v2/, "");
    const body = text === "" ? {} : (JSON.parse(text) as Record<string, unknown>);
    this.commands.push({ method: request.method ?? "", path, body });
    const failure = this.failure ?? this.#commandFailure(path);
    if (failure?.plain) {
      response.writeHead(failure.status, { "content-type": "text/plain", "retry-after-ms": "1" }).end("404 page not found");
      return;
    }
    if (failure !== null) return fail(response, failure.status, failure.code);
    if (path.startsWith("/call_events?")) return this.#listEvents(response, new URLSearchParams(path.split("?")[1]));
    const [, subject = "", id = "", action = "", verb = ""] = path.split("/");
    if (subject === "credential_connections")
      return reply(response, { id, outbound: { call_parking_enabled: this.parking }, extra_commands: this.extraCommands });
    if ((verb === "extend" || verb === "echo" || verb === "move") && !this.extraCommands.includes(verb))
      return fail(response, 404);
    if (subject === "trunks") return replyList(response, this.trunks);
    if (subject === "exchanges") return replyList(response, this.exchanges);
    if (subject === "connections") return replyList(response, this.#liveLegs());
    if (subject === "telephony_credentials") return this.#credential(response, { id, action });
    if (subject === "calls" && action === "actions") return this.#command(response, { id, verb, body });
    if (subject === "calls") return this.#status(response, id);
    if (subject === "verified_numbers") return this.#number(response, { method: request.method ?? "", number: id, action, body });
    fail(response, 404);
  }

  #number(
    response: ServerResponse,
    { method, number, action, body }: { method: string; number: string; action: string; body: Record<string, unknown> },
  ): void {
    if (method === "DELETE") {
      this.listed?.delete(number);
      return reply(response, { phone_number: number });
    }
    if (action === "") {
      if (this.listed?.has(String(body["phone_number"])) === true) return fail(response, 422, "10015");
      this.#called.add(String(body["phone_number"]));
      return reply(response, body);
    }
    if (!this.#called.has(number)) return fail(response, 404);
    if (body["verification_code"] !== this.spokenCode) return fail(response, 422, "10015");
    this.#called.delete(number);
    this.listed?.add(number);
    const proof = this.proof === null ? {} : { proof: this.proof };
    reply(response, { phone_number: number, verified_at: new Date().toISOString(), ...proof });
  }

  #listEvents(response: ServerResponse, query: URLSearchParams): void {
    if (this.events === null) return fail(response, 404);
    const since = query.get("filter[occurred_at][gte]") ?? "";
    const wanted = this.events.filter((event) => String(event["occurred_at"]) >= since);
    const begin = Number(query.get("page[after]") ?? 0);
    const after = begin + 2 < wanted.length ? String(begin + 2) : null;
    const data = wanted.slice(begin, begin + 2).map((metadata) => ({ record_type: "call_event", type: "webhook", metadata }));
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ data, meta: { cursors: { after, before: null } } }));
  }

  #liveLegs(): object[] {
    return [...this.legs]
      .filter(([, { alive, seconds }]) => alive && seconds !== undefined)
      .map(([id, { seconds }]) => ({ record_type: "call", call_control_id: id, call_duration: seconds }));
  }

  #commandFailure(path: string): { status: number; code?: string; plain?: true } | null {
    if (path.endsWith("/actions/transfer")) return this.transferFailure;
    if (path.endsWith("/actions/hangup")) return this.hangUpFailure;
    if (path.startsWith("/verified_numbers/") && this.numberFailure?.only === "call") return null;
    if (path.startsWith("/verified_numbers")) return this.numberFailure;
    return path.endsWith("/actions/extend") ? this.extendFailure : null;
  }

  #credential(response: ServerResponse, { id, action }: { id: string; action: string }): void {
    if (id === "") {
      const made = `credential-${++this.#credentialCount}`;
      this.credentials.add(made);
      return reply(response, { id: made, sip_username: `gencred${this.#credentialCount}`, expires_at: null });
    }
    if (!this.credentials.has(id)) return fail(response, 404);
    response.setHeader("content-type", "text/plain");
    response.end(action === "token" ? `header.${id}.signature` : "");
  }

  #command(response: ServerResponse, { id, verb, body }: { id: string; verb: string; body: Record<string, unknown> }): void {
    if (verb === "transfer" && this.refusedFrom !== null && body["from"] === this.refusedFrom)
      return fail(response, 422, "10015");
    if (verb === "transfer") this.#dialled.set(body["target_leg_client_state"], body["to"]);
    const leg = this.legs.get(id);
    if (leg === undefined) return fail(response, 404);
    if (!leg.alive) return fail(response, 422, "90018");
    if (verb === "hangup") leg.alive = false;
    reply(response, { result: "ok" });
  }

  #status(response: ServerResponse, id: string): void {
    const leg = this.legs.get(id);
    if (leg === undefined) return fail(response, 404);
    reply(response, {
      call_control_id: id,
      is_alive: leg.alive,
      end_time: leg.endedAt,
      ...(leg.answeredAt === undefined ? {} : { answered_at: leg.answeredAt }),
    });
  }
}

function reply(response: ServerResponse, data: Record<string, unknown>): void {
  response.setHeader("content-type", "application/json");
  response.end(JSON.stringify({ data }));
}

function replyList(response: ServerResponse, data: object[]): void {
  response.setHeader("content-type", "application/json");
  response.end(JSON.stringify({ data, meta: { total_items: data.length, page_number: 1, page_size: 250, total_pages: 1 } }));
}

function fail(response: ServerResponse, status: number, code = "10005"): void {
  response.statusCode = status;
  response.setHeader("content-type", "application/json");
  response.setHeader("retry-after-ms", "1");
  response.end(JSON.stringify({ errors: [{ code, title: "scripted failure" }] }));
}
