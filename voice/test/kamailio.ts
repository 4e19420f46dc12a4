import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { createSocket, type Socket } from "node:dgram";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { freePort } from "./free-port.ts";
import { untilBound } from "./sipp.ts";

const CONFIGURATION = fileURLToPath(new URL("../../deploy/kamailio/kamailio.cfg", import.meta.url));
/** Debian's path, which is not in PATH. */
const PROGRAM = "/usr/sbin/kamailio";

/** The SIP proxy of `deploy` on a free local port. */
export class Kamailio {
  readonly port: number;
  readonly #child: ChildProcess;
  readonly #folder: string;

  /** @param lists lines of its dispatcher list: carriers (set 1) and exchanges (set 2) */
  static async start(lists: readonly string[]): Promise<Kamailio> {
    const folder = await mkdtemp(join(tmpdir(), "farline-kamailio-"));
    const list = join(folder, "dispatcher.list");
    await writeFile(list, `${lists.join("\n")}\n`);
    const port = await freePort();
    const child = spawn(
      PROGRAM,
      [
        ...["-DD", "-E", "-f", CONFIGURATION, "-l", `udp:127.0.0.1:${port}`, "-A", `DISPATCHER_LIST="${list}"`],
        ...["-Y", folder, "-m", "32", "-M", "4"],
      ],
      { stdio: "ignore" },
    );
    const gone = once(child, "exit").then(() =>
      Promise.reject(new Error("kamailio ended: see `kamailio -c -f` of deploy/kamailio.")),
    );
    gone.catch(() => undefined);
    await Promise.race([untilBound(port), gone]);
    return new Kamailio(port, child, folder);
  }

  private constructor(port: number, child: ChildProcess, folder: string) {
    this.port = port;
    this.#child = child;
    this.#folder = folder;
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode === null) {
      this.#child.kill("SIGTERM");
      await once(this.#child, "exit");
    }
    await rm(this.#folder, { recursive: true, force: true });
  }
}

/** Sends SIP messages from a local address, and collects the first lines of the responses. */
export class SipSender {
  readonly heard: string[] = [];
  readonly #socket: Socket = createSocket("udp4");

  static async on(address: string): Promise<SipSender> {
    const sender = new SipSender();
    sender.#socket.bind(0, address);
    await once(sender.#socket, "listening");
    return sender;
  }

  private constructor() {
    this.#socket.on("message", (message) => this.heard.push(message.toString("latin1").split("\r\n", 1)[0] ?? ""));
  }

  send(port: number, method: string, toTag = ""): void {
    const { address, port: own } = this.#socket.address();
    const id = randomUUID();
    const lines = [
      `${method} sip:+442079460000@127.0.0.1:${port} SIP/2.0`,
      `Via: SIP/2.0/UDP ${address}:${own};rport;branch=z9hG4bK${id}`,
      `From: <sip:caller@${address}>;tag=${id}`,
      `To: <sip:+442079460000@127.0.0.1>${toTag}`,
      `Call-ID: ${id}`,
      `CSeq: 1 ${method}`,
      "Max-Forwards: 70",
      `Contact: <sip:caller@${address}:${own}>`,
      "Content-Length: 0",
    ];
    this.#socket.send(`${lines.join("\r\n")}\r\n\r\n`, port, "127.0.0.1");
  }

  close(): void {
    this.#socket.close();
  }
}
