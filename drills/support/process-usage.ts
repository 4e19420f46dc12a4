import { once } from "node:events";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { procStatusOf } from "./processes.ts";
import { until } from "./readiness.ts";

/** Where Node opens its inspector after a signal. Only one program at a time can have it. */
const INSPECTOR = "127.0.0.1:9229";
const ANSWER_WITHIN_MS = 20_000;
/** The answer goes out before the inspector closes. */
const READ_AND_CLOSE = `setTimeout(() => process.getBuiltinModule("inspector").close(), 50);
  (({ heapUsed, external }) => ({ pid: process.pid, bytes: heapUsed + external }))(process.memoryUsage())`;

export interface ProcessUsage {
  /** Objects and buffers that are in use, after a garbage collection. */
  readonly liveMiB: number;
  /** Resident memory. */
  readonly rssMiB: number;
  /** Open file descriptors. */
  readonly descriptors: number;
  /** How many of the descriptors are UDP sockets. */
  readonly udpPorts: number;
}

/** What a Node process uses now; see proc_pid_status(5) and proc_pid_fd(5). @throws Error if its inspector does not answer */
export async function usageOf(pid: number): Promise<ProcessUsage> {
  const liveMiB = Math.round((await liveBytesOf(pid)) / 2 ** 20);
  const rssKiB = Number(/^VmRSS:\s+(\d+)/m.exec(procStatusOf(pid))?.[1]);
  const links = readdirSync(`/proc/${pid}/fd`).flatMap((name) => linkOf(`/proc/${pid}/fd/${name}`));
  const udp = new Set(["udp", "udp6"].flatMap((table) => inodesOf(`/proc/${pid}/net/${table}`)));
  const udpPorts = links.filter((link) => udp.has(/^socket:\[(\d+)\]$/.exec(link)?.[1] ?? "")).length;
  return { liveMiB, rssMiB: Math.round(rssKiB / 1_024), descriptors: links.length, udpPorts };
}

/** Opens the process's inspector, has it collect garbage, and closes the inspector again. */
async function liveBytesOf(pid: number): Promise<number> {
  process.kill(pid, "SIGUSR1");
  let url = "";
  await until(`inspector of process ${pid}`, async () => (url = await inspectorUrl()) !== "", ANSWER_WITHIN_MS);
  const inspector = new WebSocket(url);
  await once(inspector, "open");
  await request(inspector, 1, "HeapProfiler.collectGarbage");
  const answer = await request(inspector, 2, "Runtime.evaluate", { expression: READ_AND_CLOSE, returnByValue: true });
  inspector.close();
  const value = answer.result?.result?.value;
  if (value?.pid !== pid) throw new Error(`Another program's inspector is open at ${INSPECTOR}.`);
  await until("closed inspector", async () => (await inspectorUrl()) === "", ANSWER_WITHIN_MS);
  return value.bytes;
}

/** Empty while no inspector is open. */
async function inspectorUrl(): Promise<string> {
  try {
    const targets = (await (await fetch(`http://${INSPECTOR}/json/list`)).json()) as { webSocketDebuggerUrl: string }[];
    return targets[0]?.webSocketDebuggerUrl ?? "";
  } catch {
    return "";
  }
}

interface Answer {
  readonly id?: number;
  readonly result?: { readonly result?: { readonly value?: { readonly pid: number; readonly bytes: number } } };
}

function request(inspector: WebSocket, id: number, method: string, params: object = {}): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`There was no answer to ${method}.`)), ANSWER_WITHIN_MS);
    inspector.addEventListener("message", ({ data }) => {
      const answer = JSON.parse(String(data)) as Answer;
      if (answer.id !== id) return;
      clearTimeout(timer);
      resolve(answer);
    });
    inspector.send(JSON.stringify({ id, method, params }));
  });
}

/** Empty if the descriptor was closed meanwhile. */
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
    .flatMap((line) => line.trim().split(/\s+/)[9] ?? []);
}
