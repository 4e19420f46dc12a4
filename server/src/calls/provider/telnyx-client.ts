import { Telnyx } from "telnyx";
import type { Config } from "../../platform/settings/config.ts";

/** Longest wait for one answer, in milliseconds: the caller is listening to silence meanwhile. */
const TIMEOUT_MS = 4_000;
const RETRIES = 1;

/** The official client, pointed at the configured provider. `TELNYX_API_BASE` may end in /v2 or not. */
export function createTelnyx(config: Pick<Config, "telnyx">): Telnyx {
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
