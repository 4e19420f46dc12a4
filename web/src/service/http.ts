import type { AnswerOf, BodyOf, EndpointName } from "@farline/contract/api/api.ts";
import type { ErrorBody } from "@farline/contract/errors.ts";
import { noteReach } from "../browser/online.ts";
import { anySignal } from "../time/timers.ts";
import { addressOf, type AddressParts } from "./endpoint-address.ts";
import { messageText, withConnectionHint } from "../text/message-text.ts";
import { endSession, getToken } from "../session/session.ts";
import { hearServiceTime } from "../time/clock.ts";

/** A request without a response in this time has timed out. */
const DEFAULT_TIMEOUT_MS = 20_000;

/** A failed request. `status` is 0 without a response; `message` is in the user's language, and can be shown if the service wrote it. */
export class ApiError extends Error {
  /** HTTP status, 0 without a response. */
  readonly status: number;
  /** A code from `contract/errors.ts`, or `network`, `timeout`, `cancelled`, `bad_response`. */
  readonly code: string;
  /** Names the service's text. */
  readonly reason: string | undefined;
  /** The first message for each invalid field of a form. */
  readonly fields: Readonly<Record<string, string>>;
  /** With `price_changed`: what the call costs now. */
  readonly price: ErrorBody["price"];
  /** With `challenge_required`: the challenge to solve before the request is sent again. */
  readonly challenge: ErrorBody["challenge"];
  /** The numbers that may be meant by an ambiguous number or one of a former plan. */
  readonly choices: ErrorBody["choices"];
  /** A third-party service's reason, shown after the message and a colon. */
  readonly detail: string | undefined;

  constructor(
    status: number,
    code: string,
    message: string,
    more: Partial<Pick<ApiError, "reason" | "fields" | "price" | "challenge" | "choices" | "detail">> = {},
  ) {
    super(message);
    this.name = "ApiError";
    this.status = status;
    this.code = code;
    this.reason = more.reason;
    this.fields = more.fields ?? {};
    this.price = more.price;
    this.challenge = more.challenge;
    this.choices = more.choices;
    this.detail = more.detail;
  }

  /** True when the service wrote the message for the user. */
  get fromService(): boolean {
    return this.status !== 0 && this.code !== "bad_response";
  }
}

interface SendOptions {
  /** Sent as JSON; a `FormData` is sent as multipart, a `Blob` as it is. */
  readonly body?: unknown;
  /** Cancels the request. */
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Completes the request even if the page is closed. */
  readonly keepalive?: boolean;
  /** Reads an answer that is not JSON. */
  readonly read?: (response: Response) => Promise<Answer>;
}

type RequestOptions<N extends EndpointName> = Omit<SendOptions, "body"> &
  AddressParts<N> &
  (undefined extends BodyOf<N> ? { readonly body?: BodyOf<N> } : { readonly body: BodyOf<N> });

/** The options may be left out when the endpoint needs no parameters and no body. */
type Given<N extends EndpointName> =
  object extends RequestOptions<N> ? [options?: RequestOptions<N>] : [options: RequestOptions<N>];

/**
 * Sends a request to an endpoint of the service, by its name in the contract. The session token is sent if there is one; a 401
 * ends the session, after a live call. If the browser signs out or in meanwhile, it fails with the code `cancelled`. Where the service requires a recent proof of the user (`reauth_required`), the user is
 * asked and the request repeated; if the user gives up, it fails with the code `cancelled`.
 * @throws ApiError
 */
export async function request<N extends EndpointName>(name: N, ...[options]: Given<N>): Promise<AnswerOf<N>> {
  const method = name.slice(0, name.indexOf(" "));
  const url = addressOf(name, (options ?? {}) as AddressParts<N>);
  const token = getToken();
  try {
    return (await requestOnce(method, url, token, options)) as AnswerOf<N>;
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== "reauth_required" || !(await proveOwner())) throw error;
    return (await requestOnce(method, url, token, options)) as AnswerOf<N>;
  }
}

async function requestOnce(method: string, url: string, token: string | null, options: SendOptions = {}): Promise<unknown> {
  requireSession(token);
  const { response, body } = await send(method, url, token, options);
  // The answer is for a customer who is no longer here. What outlives the page also outlives the session.
  if (options.keepalive !== true) requireSession(token);
  if (response.status === 401) endSession(token, sessionEndIn(body));
  if (!response.ok) throw toApiError(response, body);
  if (body === NOT_JSON) throw unexpectedAnswer(response);
  return isServiceMessage(body) ? { ...body, message: messageText(body) } : body;
}

/** What was begun in one session never goes on in another: it may be another customer's. @throws ApiError `cancelled` */
export function requireSession(token: string | null): void {
  if (getToken() !== token) throw new ApiError(0, "cancelled", "The session has changed.");
}

/** The body of a response that is not from the service, such as a proxy's page. */
const NOT_JSON = Symbol("not JSON");

/** A complete response. An empty body is null. */
export interface Answer {
  readonly response: Response;
  readonly body: unknown;
}

/** Sends one request and reads its complete response. @throws ApiError without one */
export async function send(method: string, url: string, token: string | null, options: SendOptions): Promise<Answer> {
  const timeout = AbortSignal.timeout(options.timeoutMs ?? DEFAULT_TIMEOUT_MS);
  const headers: Record<string, string> = { Accept: "application/json", ...options.headers };
  if (token !== null) headers["Authorization"] = `Bearer ${token}`;
  const { body } = options;
  const raw = body instanceof FormData || body instanceof Blob ? body : null;
  if (body !== undefined && raw === null) headers["Content-Type"] = "application/json";
  const sentAtMs = performance.now();
  try {
    const response = await fetch(url, {
      method,
      headers,
      ...(options.keepalive === undefined ? {} : { keepalive: options.keepalive }),
      signal: options.signal ? anySignal(options.signal, timeout) : timeout,
      ...(body === undefined ? {} : { body: raw ?? JSON.stringify(body) }),
    });
    hearServiceTime(response, sentAtMs);
    return await (options.read ?? readAnswer)(response);
  } catch (cause) {
    throw unanswered(cause, options.signal, timeout);
  }
}

function unanswered(cause: unknown, signal: AbortSignal | undefined, timeout: AbortSignal): ApiError {
  if (signal?.aborted) return new ApiError(0, "cancelled", "The request was cancelled.");
  if (timeout.aborted) return new ApiError(0, "timeout", "The service did not answer in time.");
  if (!(cause instanceof TypeError)) throw cause;
  noteReach(false);
  return new ApiError(0, "network", "The service cannot be reached. Check your connection.");
}

/** Rejects like `fetch` when the connection is lost before the body ends. */
export async function readAnswer(response: Response): Promise<Answer> {
  const text = await response.text();
  try {
    return { response, body: text === "" ? null : JSON.parse(text) };
  } catch {
    return { response, body: NOT_JSON };
  }
}

/** Converts an error response into an ApiError. */
export function toApiError(response: Response, body: unknown): ApiError {
  if (!isErrorBody(body)) return unexpectedAnswer(response);
  const { code, reason, errors = {}, reasons = {}, price, challenge, choices, error: detail } = body;
  const fields: Record<string, string> = {};
  for (const [field, [message]] of Object.entries(errors))
    if (message !== undefined) fields[field] = messageText({ message, reason: "", ...reasons[field] });
  return new ApiError(response.status, code, messageText(body), {
    reason,
    fields,
    price,
    challenge,
    choices,
    detail,
  });
}

function unexpectedAnswer(response: Response): ApiError {
  return new ApiError(response.status, "bad_response", "The service sent an unexpected answer.");
}

/** A proxy may respond instead of the service. Only the service's error bodies have all of these fields. */
function isErrorBody(body: unknown): body is ErrorBody {
  return isServiceMessage(body) && typeof (body as Partial<ErrorBody>).code === "string";
}

function isServiceMessage(body: unknown): body is Pick<ErrorBody, "message" | "reason" | "params"> {
  const { message, reason } = (body ?? {}) as Partial<ErrorBody>;
  return typeof message === "string" && typeof reason === "string";
}

/** Why the session ended, from the body of a 401. */
export function sessionEndIn(body: unknown): ErrorBody["session_ended"] {
  return isErrorBody(body) ? body.session_ended : undefined;
}

/** Whether the user cancelled the request, which is not a failure. */
export function wasCancelled(error: unknown): boolean {
  return error instanceof ApiError && error.code === "cancelled";
}

/** Whether the request got no answer: the connection or the service is down. */
export function isUnanswered(error: unknown): boolean {
  return error instanceof ApiError && (error.code === "network" || error.code === "timeout");
}

/** The service's message, or `fallback` if none can be shown; without an answer `unanswered`, by default also to check the connection. */
export function messageOf(error: unknown, fallback: string, unanswered = withConnectionHint(fallback)): string {
  if (isUnanswered(error)) return unanswered;
  return error instanceof ApiError && error.fromService && error.message !== "" ? error.message : fallback;
}

/** Asks the user to re-authenticate; rejects if they decline. */
type Ask = () => Promise<void>;

let ask: Ask | null = null;
let asking: Promise<void> | null = null;

/** Registers the re-authentication prompt. Returns the unregister function. */
export function whenProofIsRequired(asker: Ask): () => void {
  ask = asker;
  return () => {
    if (ask === asker) ask = null;
  };
}

/** Asks once for all requests that were refused meanwhile. Resolves to whether the user has proved to be the owner. */
async function proveOwner(): Promise<boolean> {
  if (ask === null) return false;
  asking ??= ask().finally(() => {
    asking = null;
  });
  await asking;
  return true;
}
