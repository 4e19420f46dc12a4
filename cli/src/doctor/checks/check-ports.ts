import type { ExchangeConfig } from "@farline/voice/config.ts";
import { tcpFree, udpFree } from "../../start/free-ports.ts";
import { localUrl } from "../../start/settings.ts";
import { fault, type Finding, ok, warning } from "../findings.ts";
import type { ReadKernel } from "./check-machine.ts";

const ANSWER_LIMIT_MS = 3_000;
const PORTS_PER_CALL = 2;
/** Spare ports, because late packets of a previous call may arrive at a port that is reused too soon. */
const SPARE_FACTOR = 3;

type Exchange = Pick<ExchangeConfig, "host" | "port" | "controlHost" | "controlPort" | "rtpAddress" | "sipPort" | "apiKeys">;
type Ranges = Pick<ExchangeConfig, "mediaPorts" | "rtpPorts" | "rtpengines" | "maxCalls">;
type Range = ExchangeConfig["rtpPorts"];

/** Whether our own exchange holds its ports, or could bind them. */
export async function checkExchangePorts(exchange: Exchange): Promise<Finding[]> {
  const { controlHost, controlPort, host, port, apiKeys } = exchange;
  const status = await statusOf(`${localUrl(controlHost, controlPort)}/healthz`, { authorization: `Bearer ${apiKeys[0]}` });
  if (status === null) return checkFree(exchange);
  if (status !== 200)
    return [
      fault(`The program at the command port ${controlPort} is not an exchange with this installation's key (status ${status}).`),
    ];
  const ready = await statusOf(`${localUrl(host, port)}/readyz`);
  if (ready === 200) return [ok(`The exchange runs and accepts browsers at port ${port}.`)];
  if (ready === 503) return [warning("The exchange is draining: it accepts no new browsers.")];
  return [fault(`The exchange runs, but its port ${port} for browsers does not answer.`)];
}

async function checkFree({ host, port, controlHost, controlPort, rtpAddress, sipPort }: Exchange): Promise<Finding[]> {
  const wanted = [
    { name: `TCP port ${port} for browsers`, free: await tcpFree(port, host) },
    { name: `TCP port ${controlPort} for commands`, free: await tcpFree(controlPort, controlHost) },
    { name: `UDP port ${sipPort} for SIP`, free: await udpFree(sipPort, rtpAddress.bound) },
  ];
  const taken = wanted
    .filter(({ free }) => !free)
    .map(({ name }) => fault(`The exchange does not run, and cannot bind ${name}.`));
  return taken.length > 0 ? taken : [warning("The exchange does not run; its ports are free.")];
}

async function statusOf(url: string, headers: Record<string, string> = {}): Promise<number | null> {
  try {
    const answer = await fetch(url, { headers, signal: AbortSignal.timeout(ANSWER_LIMIT_MS) });
    await answer.body?.cancel();
    return answer.status;
  } catch {
    return null;
  }
}

/** Whether the ranges are large enough and do not overlap with the system's ephemeral ports. */
export function checkPortRanges({ mediaPorts, rtpPorts, rtpengines, maxCalls }: Ranges, kernel: ReadKernel): Finding[] {
  // rtpengine has port ranges of its own.
  if (rtpengines.length > 0) return [];
  const browsers =
    mediaPorts === null
      ? [warning("VOICE_MEDIA_PORTS is not set: browsers' audio uses any UDP port, so no firewall rule can match it.")]
      : checkRange("VOICE_MEDIA_PORTS", mediaPorts, maxCalls, kernel);
  return [...browsers, ...checkRange("RTP_PORTS", rtpPorts, maxCalls, kernel)];
}

function checkRange(name: string, range: Range, maxCalls: number, kernel: ReadKernel): Finding[] {
  const findings = [checkSize(name, range, maxCalls)];
  const taken = firstSystemPort(range, kernel);
  if (taken !== null)
    findings.push(
      warning(
        `${name}: the system gives port ${taken} to other programs. Use ports below net.ipv4.ip_local_port_range, or add the range to ` +
          "net.ipv4.ip_local_reserved_ports.",
      ),
    );
  return findings;
}

function checkSize(name: string, { first, last }: Range, maxCalls: number): Finding {
  const ports = last - first + 1;
  const required = maxCalls * PORTS_PER_CALL;
  const recommended = required * SPARE_FACTOR;
  if (ports < required)
    return fault(`${name} has ${ports} ports, and MAX_CALLS=${maxCalls} needs ${required}; ${recommended} are better.`);
  if (ports < recommended)
    return warning(`${name} has ${ports} ports; ${recommended} for MAX_CALLS=${maxCalls} would let a port rest after a call.`);
  return ok(`${name} has enough ports for MAX_CALLS=${maxCalls}.`);
}

/** The first ephemeral port in the range; null if there is none. */
function firstSystemPort({ first, last }: Range, kernel: ReadKernel): number | null {
  const [low = 0, high = -1] = (kernel("net/ipv4/ip_local_port_range") ?? "").split(/\s+/).filter(Boolean).map(Number);
  const reserved = (kernel("net/ipv4/ip_local_reserved_ports") ?? "").split(",").filter(Boolean).map(readRange);
  for (let port = Math.max(first, low); port <= Math.min(last, high); port += 1)
    if (!reserved.some((range) => range.first <= port && port <= range.last)) return port;
  return null;
}

function readRange(text: string): Range {
  const [first = 0, last = first] = text.split("-").map(Number);
  return { first, last };
}
