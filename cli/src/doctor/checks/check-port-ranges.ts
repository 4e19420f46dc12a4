import type { ExchangeConfig } from "@farline/voice/config.ts";
import { fault, ok, warning, type Finding } from "../finding.ts";
import type { ReadKernel } from "./check-machine.ts";

const PORTS_PER_CALL = 2;
/** Spare ports, because late packets of a previous call may arrive at a port that is reused too soon. */
const SPARE_FACTOR = 3;

type Exchange = Pick<ExchangeConfig, "mediaPorts" | "rtpPorts" | "rtpengines" | "maxCalls">;
type Range = ExchangeConfig["rtpPorts"];

/** Whether the ranges are large enough and do not overlap with the system's ephemeral ports. */
export function checkPortRanges({ mediaPorts, rtpPorts, rtpengines, maxCalls }: Exchange, kernel: ReadKernel): Finding[] {
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
