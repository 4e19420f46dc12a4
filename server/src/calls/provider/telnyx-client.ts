import { CALL_ID_HEADER, REQUEST_ID_HEADER } from "@farline/contract/api/log-headers.ts";
import { Telnyx, APIError, NotFoundError } from "telnyx";
import { currentIds } from "../../platform/log.ts";
import type { Config } from "../../platform/settings/config.ts";
import type { Uses } from "../../platform/uses.ts";

/** Telnyx's error codes for a command on a call that has ended, is unknown, or must be answered first. */
const CALL_HAS_ENDED = "90018";
const UNKNOWN_CALL = "90015";
const CALL_NOT_ANSWERED = "90034";
/** Time-out per request. Short, because the caller hears silence. */
const TIMEOUT_MS = 4_000;
const RETRIES = 1;

/**
 * Creates the official client for the configured provider. `TELNYX_API_BASE` may or may not end in /v2.
 * @param uses is told of each request's outcome
 */
export function createTelnyx(
  config: { telnyx: Pick<Config["telnyx"], "apiKeys" | "apiBase"> },
  uses: Uses | null = null,
): Telnyx {
  const { apiKeys, apiBase } = config.telnyx;
  return new Telnyx({
    apiKey: apiKeys[0],
    baseURL: apiBase === null ? "https://api.telnyx.com/v2" : `${apiBase.replace(/\/+$/, "").replace(/\/v2$/, "")}/v2`,
    timeout: TIMEOUT_MS,
    maxRetries: RETRIES,
    logLevel: "off",
    fetch: async (url, init) => {
      const method = init?.method ?? "GET";
      try {
        const response = await fetch(url, withLogIds(init));
        const { status, headers } = response;
        uses?.answered("voice", method, { status, contentType: headers.get("content-type"), date: headers.get("date") });
        return response;
      } catch (error) {
        uses?.unanswered("voice", method, error);
        throw error;
      }
    },
  });
}

/** So that the exchange's log names the request that caused a command, and its call. */
function withLogIds(init: RequestInit | undefined): RequestInit | undefined {
  const { requestId, callId } = currentIds();
  const headers = new Headers(init?.headers);
  if (requestId !== null) headers.set(REQUEST_ID_HEADER, requestId);
  if (callId !== null) headers.set(CALL_ID_HEADER, callId);
  return { ...init, headers };
}

/** Whether the provider definitely did not execute the command. */
export function isRefusal(error: APIError): boolean {
  return error.status !== undefined && error.status >= 400 && error.status < 500 && error.status !== 408 && error.status !== 429;
}

/** Whether the leg has ended or does not exist. */
export function isOver(error: APIError): boolean {
  return isUnknown(error) || hasCode(error, CALL_HAS_ENDED);
}

/**
 * Whether the provider itself says that it does not, or no longer, know the leg or other resource, with a code of its own. A proxy answers 404
 * while its route is missing: live calls would be settled as lost.
 */
export function isUnknown(error: APIError): boolean {
  const isNotFound = error instanceof NotFoundError && codesOf(error).length > 0;
  return isNotFound || hasCode(error, UNKNOWN_CALL);
}

/** Whether the leg must be answered before this command. */
export function needsAnswer(error: APIError): boolean {
  return hasCode(error, CALL_NOT_ANSWERED);
}

export function hasCode(error: APIError, required: string): boolean {
  return codesOf(error).includes(required);
}

function codesOf(error: APIError): string[] {
  const body: { errors?: readonly { code?: unknown }[] } | undefined = error.error;
  return Array.isArray(body?.errors) ? body.errors.flatMap(({ code }) => (typeof code === "string" ? [code] : [])) : [];
}

/** Narrows a provider's error. @throws all other errors, which are bugs */
export function providerError(error: unknown): APIError {
  if (error instanceof APIError) return error;
  throw error;
}
