import type { ExchangeConfig } from "@farline/voice/config.ts";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { isIPv4, BlockList } from "node:net";
import { fault, ok, reasonOf, warning, type Finding } from "../finding.ts";

const HAIRPIN_WAIT_MS = 1_000;
const PORT_TRIES = 20;

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
