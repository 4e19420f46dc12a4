import { errorBody, type ErrorBody } from "@farline/contract/errors.ts";
import { type ErrorCode, errorStatus } from "@farline/contract/api/error-codes.ts";
import type { OperatorHint } from "@farline/contract/operator/live-calls.ts";
import type { LiveHint } from "@farline/contract/events.ts";
import { z, type ZodType } from "zod";
import { api, type AnswerOf, type EndpointName } from "@farline/contract/api/api.ts";
import { refusalsOf, type Endpoint } from "@farline/contract/api/endpoint.ts";

/** For tests: the service as the web app sees it. Any contract violation, by request or response, fails the test. */

export interface AskedRequest {
  readonly route: EndpointName;
  /** The value of `:id` in the route; "" if it has none. */
  readonly id: string;
  readonly query: Readonly<Record<string, string>>;
  readonly headers: Headers;
  /** The parsed JSON body, or the form. */
  readonly body: unknown;
}

class Refusal {
  readonly body: ErrorBody;
  constructor(body: ErrorBody) {
    this.body = body;
  }
}

/** An error answer with its code's status. Without a reason, pages show the message itself. */
export function refused(code: ErrorCode, message = "The service's own words.", more: Partial<ErrorBody> = {}): Refusal {
  return new Refusal({ message, code, reason: code, ...more });
}

/** Fails like a request without a network. */
export const UNREACHABLE = Symbol("unreachable");

type Answers = { [N in EndpointName]: AnswerOf<N> | Blob | Refusal | typeof UNREACHABLE };
type Answerers = { [N in EndpointName]: (request: AskedRequest) => Answers[N] | Promise<Answers[N]> };

const routes = (Object.keys(api) as EndpointName[]).map((route) => {
  const [method = "", pattern = ""] = route.split(" ");
  return { route, method, path: new RegExp(`^${pattern.replace(/:\w+/, "([^/]+)")}$`), isExact: !pattern.includes(":") };
});

export class FakeService {
  readonly requests: AskedRequest[] = [];
  /** Contract violations and requests without a prepared response. */
  readonly faults: string[] = [];
  readonly #answers = new Map<EndpointName, (request: AskedRequest) => unknown>();
  readonly #streams = new Set<ReadableStreamDefaultController<Uint8Array>>();

  /** Sets the response of `route`. A function is called for each request. */
  on<N extends EndpointName>(route: N, answer: Answers[N] | Answerers[N]): void {
    this.#answers.set(route, typeof answer === "function" ? (answer as Answerers[N]) : () => answer);
  }

  /** Like `on`, but holds the answer until the returned function is called. */
  hold<N extends EndpointName>(route: N, answer: Answers[N]): () => void {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#answers.set(route, async () => {
      await promise;
      return answer;
    });
    return resolve;
  }

  /** Requests to `route`, oldest first. */
  asked(route: EndpointName): readonly AskedRequest[] {
    return this.requests.filter((request) => request.route === route);
  }

  /** The bodies of the requests to `route`. */
  bodies(route: EndpointName): readonly unknown[] {
    return this.asked(route).map(({ body }) => body);
  }

  /** The ids in the addresses of the requests to `route`. */
  ids(route: EndpointName): readonly string[] {
    return this.asked(route).map(({ id }) => id);
  }

  /** Sends a live hint to every page that listens. */
  hint(hint: LiveHint | OperatorHint): void {
    for (const stream of this.#streams) stream.enqueue(lineOf(hint));
  }

  /** Replaces `globalThis.fetch`. */
  readonly fetch = async (input: RequestInfo | URL, init: RequestInit = {}): Promise<Response> => {
    const url = new URL(input instanceof Request ? input.url : String(input), "http://localhost:3000");
    const signal = init.signal ?? undefined;
    signal?.throwIfAborted();
    if (url.pathname === "/api/events" || url.pathname === "/api/operator/events") return this.#events(signal);
    const asked = this.#read(init, url);
    const answerer = asked === null ? undefined : this.#answers.get(asked.route);
    if (asked === null || answerer === undefined) {
      this.faults.push(`No answer is prepared for ${init.method ?? "GET"} ${url.pathname}.`);
      throw new TypeError("Failed to fetch");
    }
    this.requests.push(asked);
    const answer = await Promise.race([answerer(asked), aborted(signal)]);
    if (answer === UNREACHABLE) throw new TypeError("Failed to fetch");
    return this.#respond(asked.route, answer);
  };

  #read(init: RequestInit, url: URL): AskedRequest | null {
    const method = init.method ?? "GET";
    const found = routes
      .filter((one) => one.method === method && one.path.test(url.pathname))
      .toSorted((a, b) => Number(b.isExact) - Number(a.isExact))[0];
    if (found === undefined) return null;
    const contract: Endpoint = api[found.route];
    const body: unknown = typeof init.body === "string" ? JSON.parse(init.body) : (init.body ?? undefined);
    const query = Object.fromEntries(url.searchParams);
    this.#check(`${found.route} was asked with`, contract.body, body);
    this.#check(`${found.route} was asked with the query`, contract.query, query);
    return { route: found.route, id: found.path.exec(url.pathname)?.[1] ?? "", query, headers: new Headers(init.headers), body };
  }

  #respond(route: EndpointName, answer: unknown): Response {
    if (answer instanceof Refusal) {
      const code = answer.body.code as ErrorCode;
      this.#check(`${route} was refused with`, errorBody, answer.body);
      if (!refusalsOf(api[route]).has(code)) this.faults.push(`${route} does not declare the refusal ${code}.`);
      return Response.json(answer.body, { status: errorStatus[code] });
    }
    const { file } = api[route] as Endpoint;
    if (file !== undefined && answer instanceof Blob) return new Response(answer, { headers: { "content-type": file[0] ?? "" } });
    this.#check(`${route} was answered with`, (api[route] as Endpoint).answer ?? z.undefined(), answer);
    return answer === undefined ? new Response(null, { status: 204 }) : Response.json(answer);
  }

  #check(what: string, schema: ZodType | undefined, value: unknown): void {
    const problem = schema?.safeParse(value).error;
    // The service validates forms, so any form may be sent.
    if (problem !== undefined && !(what.includes("asked with") && this.judgesForms))
      this.faults.push(`${what} ${JSON.stringify(value)}: ${problem.message}`);
  }

  /** Whether this test sends a request that the service must refuse. */
  judgesForms = false;

  #events(signal: AbortSignal | undefined): Response {
    let stream: ReadableStreamDefaultController<Uint8Array>;
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        stream = controller;
        this.#streams.add(stream);
        stream.enqueue(lineOf({ type: "ready" }));
        signal?.addEventListener("abort", () => {
          if (this.#streams.delete(stream)) controller.error(signal.reason);
        });
      },
      cancel: () => void this.#streams.delete(stream),
    });
    return new Response(body, { headers: { "content-type": "text/event-stream" } });
  }
}

function lineOf(hint: LiveHint | OperatorHint): Uint8Array {
  return new TextEncoder().encode(`data: ${JSON.stringify(hint)}\n\n`);
}

function aborted(signal: AbortSignal | undefined): Promise<never> {
  return new Promise((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason as Error)));
}
