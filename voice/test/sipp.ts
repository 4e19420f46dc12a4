import { type ChildProcess, spawn } from "node:child_process";
import { createSocket } from "node:dgram";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const SCENARIOS = fileURLToPath(new URL("./sipp/", import.meta.url));
const READY_TIMEOUT_MS = 10_000;
/** A scenario that hangs fails the test instead of stopping the run. */
const SCENARIO_TIMEOUT_SECONDS = 20;

export interface Carrier {
  readonly port: number;
  /** Resolves when the scenario has gone as written; rejects with what SIPp complained about. */
  readonly done: Promise<void>;
  stop(): Promise<void>;
}

/** A carrier played by SIPp on a free port: answers `calls` calls after `scenario`.xml. `keys` fill [name] in the scenario. */
export async function startCarrier(scenario: string, keys: Record<string, string> = {}, calls = 1): Promise<Carrier> {
  const written = await readFile(join(SCENARIOS, `${scenario}.xml`), "utf8");
  return startScript(
    Object.entries(keys).reduce((text, [name, value]) => text.replaceAll(`[${name}]`, value), written),
    { calls },
  );
}

/** The same after a scenario in SIPp's language, on `port` if it is given; it fails if the calls are not over in `timeoutSeconds`. */
export async function startScript(
  script: string,
  given: { calls?: number; timeoutSeconds?: number; port?: number } = {},
): Promise<Carrier> {
  const { calls = 1, timeoutSeconds = SCENARIO_TIMEOUT_SECONDS, port = await freeUdpPort() } = given;
  const folder = await mkdtemp(join(tmpdir(), "farline-sipp-"));
  const errors = join(folder, "errors.log");
  const file = join(folder, "scenario.xml");
  await writeFile(file, script);
  const child = spawn(
    "sipp",
    [
      ...["-sf", file, "-i", "127.0.0.1", "-p", String(port), "-m", String(calls), "-nostdin"],
      ...["-timeout", `${timeoutSeconds}s`, "-timeout_error", "-trace_err", "-error_file", errors],
    ],
    { cwd: folder, stdio: "ignore", env: { ...process.env, TERM: "xterm" } },
  );
  const done = finish(child, errors);
  done.catch(() => undefined); // tests that expect no failure await it; the others stop the carrier
  await Promise.race([untilBound(port), done]);
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

/** A UDP port that nobody uses. */
export async function freeUdpPort(): Promise<number> {
  const socket = createSocket("udp4");
  await new Promise<void>((resolve) => socket.bind(0, "127.0.0.1", resolve));
  const { port } = socket.address();
  await new Promise<void>((resolve) => socket.close(() => resolve()));
  return port;
}

export async function untilBound(port: number): Promise<void> {
  const deadline = Date.now() + READY_TIMEOUT_MS;
  while (!(await isBound(port))) {
    if (Date.now() > deadline) throw new Error("SIPp did not open its port.");
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** By the system's table (proc(5)): to try the port would take it from SIPp at the wrong moment. */
async function isBound(port: number): Promise<boolean> {
  const local = `:${port.toString(16).toUpperCase().padStart(4, "0")}`;
  const sockets = (await readFile("/proc/net/udp", "utf8")).split("\n");
  return sockets.some((socket) => socket.trim().split(/ +/)[1]?.endsWith(local));
}
