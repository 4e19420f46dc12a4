import { Telnyx } from "telnyx";
import type { Config } from "../../platform/settings/config.ts";

/** Time-out per request. Short, because the caller hears silence. */
const TIMEOUT_MS = 4_000;
const RETRIES = 1;

/** Creates the official client for the configured provider. `TELNYX_API_BASE` may or may not end in /v2. */
export function createTelnyx(config: { telnyx: Pick<Config["telnyx"], "apiKey" | "apiBase" | "publicKey"> }): Telnyx {
  const { apiKey, apiBase, publicKey } = config.telnyx;
  return new Telnyx({
    apiKey,
    publicKey,
    baseURL: apiBase === null ? "https://api.telnyx.com/v2" : `${apiBase.replace(/\/+$/, "").replace(/\/v2$/, "")}/v2`,
    timeout: TIMEOUT_MS,
    maxRetries: RETRIES,
    logLevel: "off",
  });
}
