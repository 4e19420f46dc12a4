import { createSocket } from "node:dgram";
import { once } from "node:events";
import { type ClientRequest, type IncomingMessage, request as requestPlain } from "node:http";
import { request as requestTls } from "node:https";
import { BlockList, isIPv4 } from "node:net";
import type { ExchangeConfig } from "@farline/voice/config.ts";
import { fault, type Finding, ok, reasonOf, warning } from "../findings.ts";

const HAIRPIN_WAIT_MS = 1_000;
const PORT_TRIES = 20;
const ANSWER_LIMIT_MS = 5_000;
/** Expected statuses for a webhook without a signature. */
const REFUSALS: readonly number[] = [400, 401];
const WEBHOOKS = ["/api/webhooks/telnyx", "/api/webhooks/stripe"];

type Exchange = Pick<ExchangeConfig, "mediaAddress" | "mediaPorts" | "rtpAddress" | "rtpPorts" | "rtpengines" | "trunks">;

interface Side {
  readonly who: string;
  readonly bindName: string;
  readonly announceName: string;
  readonly address: ExchangeConfig["mediaAddress"];
  readonly ports: ExchangeConfig["mediaPorts"];
  /** Whether it must be reachable from other machines. */
  readonly isRemote: boolean;
}

/** Whether bound addresses belong to this machine, and announced ones are reachable and lead back to it. */
export async function checkAddresses(exchange: Exchange, publicUrl: string | null): Promise<Finding[]> {
  const browsers: Side = {
    who: "browsers",
    bindName: "VOICE_MEDIA_IP",
    announceName: "VOICE_MEDIA_ANNOUNCE",
    address: exchange.mediaAddress,
    ports: exchange.mediaPorts,
    isRemote: publicUrl !== null && !isThisMachine(new URL(publicUrl).hostname),
  };
  const carriers: Side = {
    who: "carriers",
    bindName: "RTP_BIND_IP",
    announceName: "RTP_ANNOUNCE",
    address: exchange.rtpAddress,
    ports: exchange.rtpPorts,
    isRemote: exchange.trunks.some(({ host }) => !isThisMachine(host)),
  };
  // With rtpengine, browsers send audio to the addresses in its own configuration.
  const sides = exchange.rtpengines.length > 0 ? [carriers] : [browsers, carriers];
  const found = await Promise.all(sides.map(checkSide));
  return found.flat();
}

async function checkSide(side: Side): Promise<Finding[]> {
  const { bound, announced } = side.address;
  const refusal = await bindError(bound);
  if (refusal !== null) return [fault(`${side.bindName} ${bound} is not an address of this machine (${refusal}).`)];
  const reach = checkReach(side);
  if (bound === announced) return [reach];
  return [reach, await checkHairpin(side)];
}

function checkReach({ who, announceName, address: { announced }, isRemote }: Side): Finding {
  const reach = reachOf(announced);
  if (reach === "world") return ok(`${capital(who)} are told the public address ${announced}.`);
  if (!isRemote) return ok(`${capital(who)} are told ${announced}; they are on this machine.`);
  if (reach === "machine")
    return fault(`${capital(who)} are told ${announced}, which is their own machine: set ${announceName}.`);
  return warning(
    `${capital(who)} are told ${announced}, which is reachable only in its own network: set ${announceName} to the public address.`,
  );
}

/** Sends a datagram to our own announced address. Many routers do not loop it back, so silence is not a fault. */
async function checkHairpin({ who, address: { bound, announced }, ports }: Side): Promise<Finding> {
  const socket = await bindInRange(bound, ports);
  if (socket === null) return warning(`No free port for ${who} was found to test the way from ${announced} to ${bound}.`);
  try {
    const { port } = socket.address();
    const arrived = once(socket, "message", { signal: AbortSignal.timeout(HAIRPIN_WAIT_MS) });
    socket.send("farline", port, announced);
    await arrived;
    return ok(`A datagram to ${announced}:${port} arrives at ${bound}.`);
  } catch (error) {
    const why = (error as Error).name === "AbortError" ? "nothing arrived within a second" : reasonOf(error);
    return warning(
      `A datagram to ${announced} did not come back to ${bound} (${why}): many routers return none to the sender, so test from outside.`,
    );
  } finally {
    socket.close();
  }
}

async function bindInRange(address: string, ports: Side["ports"]) {
  for (let tries = 0; tries < PORT_TRIES; tries += 1) {
    const port = ports === null ? 0 : ports.first + Math.floor(Math.random() * (ports.last - ports.first + 1));
    const socket = createSocket("udp4");
    try {
      socket.bind(port, address);
      await once(socket, "listening");
      return socket;
    } catch {
      socket.close();
    }
  }
  return null;
}

async function bindError(address: string): Promise<string | null> {
  const socket = createSocket("udp4");
  try {
    socket.bind(0, address);
    await once(socket, "listening");
    return null;
  } catch (error) {
    return reasonOf(error);
  } finally {
    socket.close();
  }
}

function isThisMachine(host: string): boolean {
  return host === "localhost" || (isIPv4(host) && reachOf(host) === "machine");
}

function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

const loopback = new BlockList();
loopback.addSubnet("127.0.0.0", 8);

/** RFC 1918, RFC 3927, RFC 6598 and "this network". */
const unrouted = new BlockList();
unrouted.addSubnet("0.0.0.0", 8);
unrouted.addSubnet("10.0.0.0", 8);
unrouted.addSubnet("100.64.0.0", 10);
unrouted.addSubnet("169.254.0.0", 16);
unrouted.addSubnet("172.16.0.0", 12);
unrouted.addSubnet("192.168.0.0", 16);

/** How far an IPv4 address reaches: this machine, its own network, or everywhere. */
function reachOf(address: string): "machine" | "network" | "world" {
  if (loopback.check(address)) return "machine";
  return unrouted.check(address) ? "network" : "world";
}

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
