import { readdirSync, readFileSync, readlinkSync } from "node:fs";

export interface ProcessUsage {
  /** Resident memory. */
  readonly rssMiB: number;
  /** Open file descriptors. */
  readonly descriptors: number;
  /** How many of the descriptors are UDP sockets. */
  readonly udpPorts: number;
}

/** What a process uses now; see proc_pid_status(5) and proc_pid_fd(5). */
export function usageOf(pid: number): ProcessUsage {
  const rssKiB = Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]);
  const links = readdirSync(`/proc/${pid}/fd`).flatMap((name) => linkOf(`/proc/${pid}/fd/${name}`));
  const udp = new Set(["udp", "udp6"].flatMap((table) => inodesOf(`/proc/${pid}/net/${table}`)));
  const udpPorts = links.filter((link) => udp.has(/^socket:\[(\d+)\]$/.exec(link)?.[1] ?? "")).length;
  return { rssMiB: Math.round(rssKiB / 1_024), descriptors: links.length, udpPorts };
}

/** Null if the descriptor was closed meanwhile. */
function linkOf(path: string): string[] {
  try {
    return [readlinkSync(path)];
  } catch {
    return [];
  }
}

function inodesOf(table: string): string[] {
  return readFileSync(table, "utf8")
    .split("\n")
    .slice(1)
    .map((line) => line.trim().split(/\s+/)[9] ?? "");
}
