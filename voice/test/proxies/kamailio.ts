import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { createSocket, type Socket } from "node:dgram";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { pemPath } from "@farline/sip/test/tls/pem.ts";
import { freePort } from "../free-port.ts";
import { untilBound } from "../sipp.ts";

const SHIPPED = fileURLToPath(new URL("../../../deploy/kamailio/kamailio.cfg", import.meta.url));
const WITH_DIGEST = fileURLToPath(new URL("./kamailio-digest.cfg", import.meta.url));
/** Debian's path, which is not in PATH. */
const PROGRAM = "/usr/sbin/kamailio";

/** A Kamailio proxy on a free local port; TLS is on the next one. */
export class Kamailio {
  readonly port: number;
  readonly #child: ChildProcess;
  readonly #folder: string;

  /** The shipped proxy. @param lists lines of its dispatcher list: carriers (set 1) and exchanges (set 2) */
  static start(lists: readonly string[]): Promise<Kamailio> {
    return Kamailio.#run(async (folder, port) => {
      const list = join(folder, "dispatcher.list");
      await writeFile(list, `${lists.join("\n")}\n`);
      return ["-f", SHIPPED, "-l", `udp:127.0.0.1:${port}`, "-A", `DISPATCHER_LIST="${list}"`];
    });
  }

  /**
   * A carrier's proxy that asks for the password `secret` and passes calls on.
   * @param phonePort UDP, of the called phone
   * @param more off the call's route, or with its own registrar
   */
  static startWithDigest(
    algorithm: "MD5" | "SHA-256",
    transport: "udp" | "tcp" | "tls",
    phonePort: number,
    more: readonly ("OFF_ROUTE" | "REGISTRAR")[] = [],
  ): Promise<Kamailio> {
    return Kamailio.#run(async (_folder, port) => {
      const definitions = {
        ALGORITHM: algorithm,
        PHONE: `sip:127.0.0.1:${phonePort}`,
        TLS_KEY: pemPath("carrier.key"),
        TLS_CERTIFICATE: pemPath("carrier.pem"),
      };
      const secure = transport === "tls" ? ["-l", `tls:127.0.0.1:${port + 1}`] : [];
      const listens = ["udp", "tcp"].flatMap((one) => ["-l", `${one}:127.0.0.1:${port}`]);
      return [
        "-f",
        WITH_DIGEST,
        ...listens,
        ...secure,
        ...more.flatMap((name) => ["-A", name]),
        ...Object.entries(definitions).flatMap(([name, text]) => ["-A", `${name}="${text}"`]),
      ];
    });
  }

  static async #run(options: (folder: string, port: number) => Promise<string[]>): Promise<Kamailio> {
    const folder = await mkdtemp(join(tmpdir(), "farline-kamailio-"));
    const port = await freePort();
    const given = await options(folder, port);
    const child = spawn(PROGRAM, ["-DD", "-E", ...given, "-Y", folder, "-m", "64", "-M", "8"], { stdio: "ignore" });
    const gone = once(child, "exit").then(() =>
      Promise.reject(new Error(`kamailio ended: see \`kamailio -c ${given.join(" ")}\`.`)),
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
