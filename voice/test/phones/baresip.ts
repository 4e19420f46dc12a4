import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as setTimeoutAsync } from "node:timers/promises";
import { PATIENCE_MS } from "@farline/domain/test/patience.ts";
import { freePort } from "../free-port.ts";
import { PHONE_NUMBER } from "./phone-call.ts";
import { untilBound } from "../sipp.ts";
import { wavOf } from "./wav.ts";

/** Debian's package. */
const MODULES = "/usr/lib/baresip/modules";
const MODULE_NAMES = ["g711", "opus", "aubridge", "ausine", "sndfile", "aufile", "ctrl_tcp"];
/** The tone that it sends in Opus; the module makes it at 48 kHz in stereo only. */
export const BARESIP_HERTZ = 440;
const WAV_HEADER_BYTES = 44;
/** Of a second with 16 bits, and from one sample to the next of one channel at 8 kHz. */
const RECORDED = {
  opus: { secondBytes: 192_000, stepBytes: 24 },
  g711: { secondBytes: 16_000, stepBytes: 2 },
};
const LOOK_EVERY_MS = 50;
const APPLICATION_MODULES = ["account", "menu"];

interface BaresipOptions {
  /** `early`: early media until it is answered by command. `manual`: rings. Default: answers at once. */
  readonly answer?: "auto" | "early" | "manual";
  /** Its only codec, as baresip writes it. */
  readonly codec?: "pcmu/8000/1" | "pcma/8000/1" | "opus/48000/2";
  /** Certificate and key in PEM: it also listens for TLS, on the next port. */
  readonly identity?: string;
  /** 20 ms frames of PCMU, which it plays once in place of the echo. */
  readonly sound?: readonly Buffer[];
}

/**
 * The phone to call is baresip, an independent implementation. In G.711 its speaker is connected to its microphone, so that the caller
 * hears themselves, until it holds; in Opus it sends a tone. It records what it hears.
 */
export class Baresip {
  readonly port: number;
  /** The keys that the caller pressed, as it heard them. */
  digits = "";
  readonly #control: Socket;
  readonly #answers: ((answer: string) => void)[] = [];
  readonly #folder: string;
  readonly #child: ChildProcess;

  static async start({ answer = "auto", codec = "pcmu/8000/1", identity, sound }: BaresipOptions = {}): Promise<Baresip> {
    const folder = await mkdtemp(join(tmpdir(), "farline-baresip-"));
    const [port, controlPort] = [await freePort(), await freePort()];
    const played = join(folder, "played.wav");
    if (sound !== undefined) await writeFile(played, wavOf(Buffer.concat(sound)));
    const source = sound === undefined ? "aubridge,echo" : `aufile,${played}`;
    const lines = [
      `sip_listen 127.0.0.1:${port}`,
      `audio_source ${codec.startsWith("opus") ? `ausine,${BARESIP_HERTZ}` : source}`,
      "audio_player aubridge,echo",
      `snd_path ${folder}`,
      `module_path ${MODULES}`,
      ...MODULE_NAMES.map((name) => `module ${name}.so`),
      ...APPLICATION_MODULES.map((name) => `module_app ${name}.so`),
      `ctrl_tcp_listen 127.0.0.1:${controlPort}`,
      // Otherwise it draws its media's ports from all of them, also those of other tests.
      `rtp_ports ${port + 2}-${port + 7}`,
      ...(identity === undefined ? [] : [`sip_certificate ${join(folder, "identity.pem")}`]),
    ];
    if (identity !== undefined) await writeFile(join(folder, "identity.pem"), identity);
    await writeFile(join(folder, "config"), `${lines.join("\n")}\n`);
    await writeFile(
      join(folder, "accounts"),
      `<sip:${PHONE_NUMBER}@127.0.0.1>;regint=0;answermode=${answer};audio_codecs=${codec}\n`,
    );
    const child = spawn("baresip", ["-f", folder], { stdio: "ignore" });
    const gone = once(child, "exit").then(() => Promise.reject(new Error("baresip ended.")));
    gone.catch(() => undefined);
    await Promise.race([Promise.all([untilBound(port), untilBound(controlPort, "tcp")]), gone]);
    // It knows one connection at a time.
    const control = connect(controlPort, "127.0.0.1");
    await once(control, "connect");
    return new Baresip({ port, control, folder, child });
  }

  private constructor(given: { port: number; control: Socket; folder: string; child: ChildProcess }) {
    this.port = given.port;
    this.#control = given.control;
    this.#folder = given.folder;
    this.#child = given.child;
    this.#listen();
  }

  /** Presses a key of its menu: `accept`, `hangup`, `hold`, `resume` … @returns what it displays */
  press(command: string, params = ""): Promise<string> {
    const message = JSON.stringify({ command, params });
    // A netstring (https://cr.yp.to/proto/netstrings.txt).
    this.#control.write(`${message.length}:${message},`);
    return new Promise((resolve) => this.#answers.push(resolve));
  }

  #listen(): void {
    let text = "";
    this.#control.on("error", () => undefined);
    this.#control.on("data", (data: Buffer) => {
      text += data.toString("latin1");
      for (;;) {
        const [head = "", length = ""] = /^(\d+):/.exec(text) ?? [];
        const end = head.length + Number(length);
        if (head === "" || text.length <= end) return;
        this.#take(text.slice(head.length, end));
        text = text.slice(end + 1);
      }
    });
  }

  #take(message: string): void {
    const { response, type, param } = JSON.parse(message) as Record<string, unknown>;
    if (response === true) this.#answers.shift()?.(message);
    else if (type === "CALL_DTMF_START") this.digits += String(param);
  }

  /** Resolves once it has a call. */
  untilRinging(): Promise<void> {
    return this.#untilCalls(1);
  }

  /** Resolves once it has no call. */
  untilIdle(): Promise<void> {
    return this.#untilCalls(0);
  }

  /** The last second that it heard: 16-bit samples, 8,000 a second. */
  async lastSecond(codec: keyof typeof RECORDED): Promise<number[]> {
    const { secondBytes, stepBytes } = RECORDED[codec];
    const name = (await readdir(this.#folder)).toSorted().findLast((file) => file.endsWith("dec.wav"));
    if (name === undefined) return [];
    const file = await readFile(join(this.#folder, name));
    const bytes = file.subarray(Math.max(WAV_HEADER_BYTES, file.length - secondBytes));
    return Array.from({ length: Math.floor(bytes.length / stepBytes) }, (_, index) => bytes.readInt16LE(index * stepBytes));
  }

  async #untilCalls(count: number): Promise<void> {
    const deadline = Date.now() + PATIENCE_MS;
    for (;;) {
      const calls = Number(/Active calls \((\d+)\)/.exec(await this.press("listcalls"))?.[1] ?? -1);
      if (calls === count) return;
      if (Date.now() > deadline) throw new Error(`baresip has ${calls} calls instead of ${count}.`);
      await setTimeoutAsync(LOOK_EVERY_MS);
    }
  }

  async stop(): Promise<void> {
    this.#control.destroy();
    if (this.#child.exitCode === null) {
      this.#child.kill("SIGKILL");
      await once(this.#child, "exit");
    }
    await rm(this.#folder, { recursive: true, force: true });
  }
}
