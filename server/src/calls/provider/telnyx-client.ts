import { CALL_ID_HEADER, REQUEST_ID_HEADER } from "@farline/contract/api/log-headers.ts";
import { Telnyx } from "telnyx";
import { currentIds } from "../../platform/log.ts";
import type { Config } from "../../platform/settings/config.ts";
import type { Uses } from "../../platform/uses.ts";

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
