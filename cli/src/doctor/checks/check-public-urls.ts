import { once } from "node:events";
import { request as requestPlain, type ClientRequest, type IncomingMessage } from "node:http";
import { request as requestTls } from "node:https";
import { fault, ok, reasonOf, type Finding } from "../finding.ts";

const ANSWER_LIMIT_MS = 5_000;
/** Expected statuses for a webhook without a signature. */
const REFUSALS: readonly number[] = [400, 401];
const WEBHOOKS = ["/api/webhooks/telnyx", "/api/webhooks/stripe"];

/** Whether the public address leads to the service and accepts webhooks. */
export async function checkPublicUrl(publicUrl: string): Promise<Finding[]> {
  try {
    const health = await fetch(`${publicUrl}/api/health`, { signal: AbortSignal.timeout(ANSWER_LIMIT_MS) });
    await health.body?.cancel();
    if (health.status !== 200)
      return [fault(`PUBLIC_URL ${publicUrl} answers /api/health with ${health.status}: is it the service?`)];
  } catch (error) {
    return [fault(`PUBLIC_URL ${publicUrl} does not answer: ${reasonOf(error)}.`)];
  }
  const webhooks = await Promise.all(WEBHOOKS.map((path) => checkWebhook(`${publicUrl}${path}`)));
  return [ok(`PUBLIC_URL ${publicUrl} leads to the service.`), ...webhooks];
}

async function checkWebhook(url: string): Promise<Finding> {
  const headers = { "content-type": "application/json" };
  const request = { method: "POST", headers, body: "{}", signal: AbortSignal.timeout(ANSWER_LIMIT_MS) };
  try {
    const answer = await fetch(url, request);
    await answer.body?.cancel();
    if (REFUSALS.includes(answer.status)) return ok(`Webhooks reach ${url}; one without a signature is refused.`);
    return fault(`A webhook without a signature got ${answer.status} from ${url}, instead of 400 or 401.`);
  } catch (error) {
    return fault(`Webhooks do not reach ${url}: ${reasonOf(error)}.`);
  }
}

/** Whether a page of `publicUrl` can open the exchange's WebSocket: name, certificate, upgrade and origin. */
export async function checkVoiceSocket(wsUrl: string, publicUrl: string): Promise<Finding[]> {
  const url = new URL(wsUrl.replace(/^ws/, "http"));
  const headers = {
    connection: "Upgrade",
    upgrade: "websocket",
    origin: new URL(publicUrl).origin,
    "sec-websocket-version": "13",
    "sec-websocket-key": Buffer.from("farline's doctor").toString("base64"),
  };
  const request = (url.protocol === "https:" ? requestTls : requestPlain)(url, { headers });
  try {
    const status = await upgradeStatus(request);
    if (status === 101) return [ok(`VOICE_WS_URL ${wsUrl} opens for pages of ${headers.origin}.`)];
    if (status === 403) return [fault(`The exchange at ${wsUrl} refuses pages of ${headers.origin}: add it to ALLOWED_ORIGINS.`)];
    return [fault(`VOICE_WS_URL ${wsUrl} answered ${status} instead of opening a WebSocket: does the proxy forward upgrades?`)];
  } catch (error) {
    return [fault(`VOICE_WS_URL ${wsUrl} cannot be opened: ${reasonOf(error)}.`)];
  } finally {
    request.destroy();
  }
}

async function upgradeStatus(request: ClientRequest): Promise<number> {
  const signal = AbortSignal.timeout(ANSWER_LIMIT_MS);
  request.end();
  const answer = (await Promise.race([once(request, "upgrade", { signal }), once(request, "response", { signal })])) as [
    IncomingMessage,
  ];
  answer[0].destroy();
  return answer[0].statusCode ?? 0;
}
