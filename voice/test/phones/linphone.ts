import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import type { Readable, Writable } from "node:stream";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "../free-port.ts";
import { untilBound } from "../sipp.ts";
import { wavOf } from "./wav.ts";

const SETTINGS = [
  "[sip]",
  "use_ipv6=0",
  "guess_hostname=0",
  "register_only_when_network_is_up=0",
  "[sound]",
  "echocancellation=0",
  "[net]",
  "mtu=0",
];
/** Places in the list of its codecs (Debian's package), in which G.711 comes after Opus. */
const CODEC_PLACES = { opus: 0, PCMU: 3 } as const;

interface LinphoneOptions {
  readonly answers?: boolean;
  readonly without?: readonly (keyof typeof CODEC_PLACES)[];
  readonly transport?: "udp" | "tcp";
}

/** The phone to call is linphone, an independent implementation. It plays a sound and records what it hears. */
export class Linphone {
  readonly port: number;
  readonly #folder: string;
  /** The keys that the caller pressed, as it heard them. */
  digits = "";
  readonly #rings = Promise.withResolvers<void>();
  readonly #child: ChildProcessByStdio<Writable, Readable, null>;

  /**
   * @param sound 20 ms frames of PCMU, which it plays once
   * @param without codecs that it does not use
   */
  static async start(
    sound: readonly Buffer[],
    { answers = true, without = [], transport = "udp" }: LinphoneOptions = {},
  ): Promise<Linphone> {
    const folder = await mkdtemp(join(tmpdir(), "farline-linphone-"));
    const port = await freePort();
    const [settings, played, heard] = ["settings", "played.wav", "heard.wav"].map((name) => join(folder, name)) as [
      string,
      string,
      string,
    ];
    const listen = transport === "tcp" ? `sip_port=0\nsip_tcp_port=${port}` : `sip_port=${port}\nsip_tcp_port=0`;
    await writeFile(settings, `${SETTINGS.join("\n")}\n[rtp]\naudio_rtp_port=${port + 2}\n[sip]\n${listen}\n`);
    // It does not start without a place for its database.
    await mkdir(join(folder, ".local/share/linphone"), { recursive: true });
    await writeFile(played, wavOf(Buffer.concat(sound)));
    const child = spawn("linphonec", ["-c", settings], {
      stdio: ["pipe", "pipe", "ignore"],
      env: { ...process.env, HOME: folder },
    });
    const phone = new Linphone(port, folder, child);
    phone.type(
      `ports ${transport === "tcp" ? "tcp" : "sip"} ${port}`,
      "soundcard use files",
      `play ${played}`,
      `record ${heard}`,
    );
    phone.type(...without.map((codec) => `codec disable ${CODEC_PLACES[codec]}`));
    if (answers) phone.type("autoanswer enable");
    const gone = once(child, "exit").then(() => Promise.reject(new Error("linphonec ended.")));
    gone.catch(() => undefined);
    await Promise.race([untilBound(port, transport), gone]);
    return phone;
  }

  private constructor(port: number, folder: string, child: ChildProcessByStdio<Writable, Readable, null>) {
    this.port = port;
    this.#folder = folder;
    this.#child = child;
    child.stdout.on("data", (text: Buffer) => {
      if (text.includes("incoming call")) this.#rings.resolve();
      for (const [, key = ""] of text.toString().matchAll(/Receiving tone (.) from/g)) this.digits += key;
    });
  }

  /** Resolves once it rings. */
  untilRinging(): Promise<void> {
    return this.#rings.promise;
  }

  /** Types commands: `answer`, `terminate`, `pause`, `resume` … */
  type(...commands: readonly string[]): void {
    for (const command of commands) this.#child.stdin.write(`${command}\n`);
  }

  /** The last second that it heard: 16-bit samples, 8,000 a second. */
  async lastSecond(): Promise<number[]> {
    const file = await readFile(join(this.#folder, "heard.wav")).catch(() => Buffer.alloc(0));
    const bytes = file.subarray(Math.max(44, file.length - 16_000));
    return Array.from({ length: Math.floor(bytes.length / 2) }, (_, index) => bytes.readInt16LE(2 * index));
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode === null) {
      this.#child.kill("SIGKILL");
      await once(this.#child, "exit");
    }
    await rm(this.#folder, { recursive: true, force: true });
  }
}
