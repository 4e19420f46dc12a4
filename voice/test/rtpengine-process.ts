import { type ChildProcess, spawn } from "node:child_process";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { connect } from "node:net";
import { setTimeout as setTimeoutAsync } from "node:timers/promises";
import { freePort } from "./free-port.ts";
import { LOOPBACK } from "./loopback.ts";

const LOCAL = LOOPBACK.bound;

export interface RtpengineProcess {
  /** Address for ng commands. */
  readonly ng: { readonly host: string; readonly port: number; readonly weight: number };
  /** Runs a command of `rtpengine-ctl`. */
  control(command: string): Promise<void>;
  /** Suspends the process. Resolves once all its threads are stopped. */
  freeze(): Promise<void>;
  /** Kills the process, like a crash. */
  kill(): Promise<void>;
}

/** Debian's rtpengine in userspace, started as in docs/operate/voice.md. @param rtpPorts UDP ports that no other test uses */
export async function startRtpengine(
  rtpPorts: { first: number; last: number },
  options: { ngPort?: number; more?: readonly string[] } = {},
): Promise<RtpengineProcess> {
  const port = options.ngPort ?? (await freePort());
  const cliPort = await freePort();
  const child = spawn(
    "rtpengine",
    [
      // Ignore the package's configuration, which opens a fixed port.
      ...["--config-file=none", "--table=-1", `--interface=pub/${LOCAL}`, `--interface=carrier/${LOCAL}`],
      ...[`--listen-ng=${LOCAL}:${port}`, `--listen-cli=${LOCAL}:${cliPort}`],
      ...[`--port-min=${rtpPorts.first}`, `--port-max=${rtpPorts.last}`, "--timeout=60", "--delete-delay=0"],
      ...["--num-threads=2", "--foreground", "--log-stderr", "--log-level=3", ...(options.more ?? [])],
    ],
    { stdio: "ignore" },
  );
  await untilPong(child, port);
  return {
    ng: { host: LOCAL, port, weight: 1 },
    async control(command) {
      const socket = connect(cliPort, LOCAL);
      socket.end(`${command}\n`);
      socket.resume();
      await once(socket, "close");
    },
    async freeze() {
      child.kill("SIGSTOP");
      await untilStopped(child.pid ?? 0);
    },
    async kill() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, "exit");
      child.kill("SIGKILL");
      await ended;
    },
  };
}

const TRIES = 600;
const TRY_MS = 100;
const LOOK_MS = 5;

/** The state follows the name in parentheses: proc_pid_stat(5). */
const STOPPED = /\) T /;

async function untilStopped(pid: number): Promise<void> {
  const tasks = `/proc/${pid}/task`;
  for (let tries = 0; tries < TRIES; tries += 1) {
    if (readdirSync(tasks).every((task) => STOPPED.test(readFileSync(`${tasks}/${task}/stat`, "utf8")))) return;
    await setTimeoutAsync(LOOK_MS);
  }
  throw new Error("rtpengine did not stop.");
}

async function untilPong(child: ChildProcess, port: number): Promise<void> {
  const socket = createSocket("udp4");
  socket.on("error", () => undefined);
  try {
    for (let tries = 0; tries < TRIES && child.exitCode === null; tries += 1) {
      const pong = once(socket, "message", { signal: AbortSignal.timeout(TRY_MS) }).then(
        () => true,
        () => false,
      );
      socket.send("1 d7:command4:pinge", port, LOCAL);
      if (await pong) return;
    }
    throw new Error("rtpengine did not start.");
  } finally {
    socket.close();
  }
}
