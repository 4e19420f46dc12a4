import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PATIENCE_MS } from "@farline/domain/test/patience.ts";
import { freePort } from "./free-port.ts";
import { carrierScript, type Step } from "./scenarios/carrier-script.ts";

/** A scenario that hangs fails its test. */
const SCENARIO_TIMEOUT_SECONDS = 60;

export interface Carrier {
  readonly port: number;
  /** Resolves when the scenario has succeeded; rejects with SIPp's error. */
  readonly done: Promise<void>;
  stop(): Promise<void>;
}

interface CarrierOptions {
  /** How many calls SIPp answers, and its time limit. */
  readonly calls?: number;
  readonly timeoutSeconds?: number;
  readonly transport?: "udp" | "tcp";
  /** Default: a free one. */
  readonly port?: number;
  /** Echo the caller's audio. */
  readonly echo?: boolean;
}

/** Plays a carrier with SIPp. Fails if the calls are not over in time. */
export function startCarrier(steps: readonly Step[], options?: CarrierOptions): Promise<Carrier> {
  return startScript(carrierScript(steps), options);
}

/** The same for the text of a scenario. */
export async function startScript(script: string, options: CarrierOptions = {}): Promise<Carrier> {
  const { calls = 1, timeoutSeconds = SCENARIO_TIMEOUT_SECONDS, transport = "udp", echo = false } = options;
  const free = await freePort();
  const port = options.port ?? free;
  const folder = await mkdtemp(join(tmpdir(), "farline-sipp-"));
  const errors = join(folder, "errors.log");
  const file = join(folder, "scenario.xml");
  await writeFile(file, script);
  const child = spawn(
    "sipp",
    [
      ...["-sf", file, "-i", "127.0.0.1", "-p", String(port), "-m", String(calls), "-nostdin"],
      // Fixed ports for remote control and media, because two SIPps that search for free ports at the same time conflict.
      ...["-cp", String(free + 1), "-mp", String(free + 2)],
      ...["-t", transport === "udp" ? "u1" : "t1", ...(echo ? ["-rtp_echo"] : [])],
      ...["-timeout", `${timeoutSeconds}s`, "-timeout_error", "-trace_err", "-error_file", errors],
    ],
    { cwd: folder, stdio: "ignore", env: { ...process.env, TERM: "xterm" } },
  );
  const done = finish(child, errors);
  done.catch(() => undefined); // awaited by tests that expect success; others stop the carrier
  await Promise.race([untilBound(port, transport), done]);
  return {
    port,
    done,
    async stop() {
      child.kill("SIGKILL");
      await done.catch(() => undefined);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function finish(child: ChildProcess, errors: string): Promise<void> {
  return new Promise((resolve, reject) => {
    child.once("error", () =>
      reject(new Error("SIPp is needed for the SIP tests and is not installed: apt-get install sip-tester (or sipp).")),
    );
    child.once("exit", (code, signal) => {
      if (code === 0) return resolve();
      readFile(errors, "utf8").then(
        (text) => reject(new Error(`SIPp ended with ${signal ?? code}: ${text}`)),
        () => reject(new Error(`SIPp ended with ${signal ?? code}.`)),
      );
    });
  });
}

export async function untilBound(port: number, transport: "udp" | "tcp" = "udp"): Promise<void> {
  const deadline = Date.now() + PATIENCE_MS;
  while (!(await isBound(port, transport))) {
    if (Date.now() > deadline) throw new Error(`The port ${port} was not opened.`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** The state of an unconnected UDP socket and of a listening TCP socket in /proc/net/udp and /proc/net/tcp (Linux, include/net/tcp_states.h). */
const WAITING = { udp: "07", tcp: "0A" };

/** Reads the system's table (proc(5)), because opening the port to test it could take it from its owner. */
async function isBound(port: number, transport: "udp" | "tcp"): Promise<boolean> {
  const local = `:${port.toString(16).toUpperCase().padStart(4, "0")}`;
  const tables = await Promise.all(["", "6"].map((version) => readFile(`/proc/net/${transport}${version}`, "utf8")));
  const sockets = tables.flatMap((table) => table.split("\n")).map((socket) => socket.trim().split(/ +/));
  return sockets.some(([, address, , state]) => address?.endsWith(local) === true && state === WAITING[transport]);
}
