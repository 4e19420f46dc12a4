import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as setTimeoutAsync } from "node:timers/promises";
import { freePort } from "../free-port.ts";
import { PHONE_NUMBER } from "./phone-call.ts";
import { untilBound } from "../sipp.ts";

/** Debian's package. */
const MODULES = "/usr/lib/baresip/modules";
const MODULE_NAMES = ["g711", "opus", "aubridge", "ausine", "sndfile", "ctrl_tcp"];
/** The tone that it sends in Opus; the module makes it at 48 kHz in stereo only. */
export const BARESIP_HERTZ = 440;
const WAV_HEADER_BYTES = 44;
/** Of a second in Opus: 48 kHz, stereo, 16 bits. */
const SECOND_BYTES = 192_000;
/** Every twelfth sample: one channel at 8 kHz. */
const EVERY_TWELFTH_BYTES = 24;
const PATIENCE_MS = 10_000;
const LOOK_EVERY_MS = 50;
const APPLICATION_MODULES = ["account", "menu"];

interface BaresipOptions {
  /** `early`: early media until it is answered by command. `manual`: rings. Default: answers at once. */
  readonly answer?: "auto" | "early" | "manual";
  /** Its only codec, as baresip writes it. */
  readonly codec?: "pcmu/8000/1" | "pcma/8000/1" | "opus/48000/2";
}

/**
 * The phone to call is baresip, an independent implementation. In G.711 its speaker is connected to its microphone, so that the caller
 * hears themselves; in Opus it sends a tone, and records what it hears.
 */
export class Baresip {
  readonly port: number;
  readonly #controlPort: number;
  readonly #folder: string;
  readonly #child: ChildProcess;

  static async start({ answer = "auto", codec = "pcmu/8000/1" }: BaresipOptions = {}): Promise<Baresip> {
    const folder = await mkdtemp(join(tmpdir(), "farline-baresip-"));
    const [port, controlPort] = [await freePort(), await freePort()];
    const lines = [
      `sip_listen 127.0.0.1:${port}`,
      `audio_source ${codec.startsWith("opus") ? `ausine,${BARESIP_HERTZ}` : "aubridge,echo"}`,
      "audio_player aubridge,echo",
      `snd_path ${folder}`,
      `module_path ${MODULES}`,
      ...MODULE_NAMES.map((name) => `module ${name}.so`),
      ...APPLICATION_MODULES.map((name) => `module_app ${name}.so`),
      `ctrl_tcp_listen 127.0.0.1:${controlPort}`,
    ];
    await writeFile(join(folder, "config"), `${lines.join("\n")}\n`);
    await writeFile(
      join(folder, "accounts"),
      `<sip:${PHONE_NUMBER}@127.0.0.1>;regint=0;answermode=${answer};audio_codecs=${codec}\n`,
    );
    const child = spawn("baresip", ["-f", folder], { stdio: "ignore" });
    const gone = once(child, "exit").then(() => Promise.reject(new Error("baresip ended.")));
    gone.catch(() => undefined);
    await Promise.race([Promise.all([untilBound(port), untilBound(controlPort, "tcp")]), gone]);
    return new Baresip({ port, controlPort, folder, child });
  }

  private constructor(given: { port: number; controlPort: number; folder: string; child: ChildProcess }) {
    this.port = given.port;
    this.#controlPort = given.controlPort;
    this.#folder = given.folder;
    this.#child = given.child;
  }

  /** Presses a key of its menu: `accept`, `hangup`, `hold`, `resume` … @returns what it displays */
  async press(command: string): Promise<string> {
    const message = JSON.stringify({ command });
    const socket = connect(this.#controlPort, "127.0.0.1");
    // A netstring (https://cr.yp.to/proto/netstrings.txt).
    socket.write(`${message.length}:${message},`);
    const [answer] = (await once(socket, "data")) as [Buffer];
    socket.destroy();
    return answer.toString();
  }

  /** Resolves once it has a call. */
  untilRinging(): Promise<void> {
    return this.#untilCalls(1);
  }

  /** Resolves once it has no call. */
  untilIdle(): Promise<void> {
    return this.#untilCalls(0);
  }

  /** The last second that it heard in Opus: 16-bit samples, 8,000 a second. */
  async lastSecond(): Promise<number[]> {
    const name = (await readdir(this.#folder)).find((file) => file.endsWith("dec.wav"));
    if (name === undefined) return [];
    const file = await readFile(join(this.#folder, name));
    const bytes = file.subarray(Math.max(WAV_HEADER_BYTES, file.length - SECOND_BYTES));
    const samples = Math.floor(bytes.length / EVERY_TWELFTH_BYTES);
    return Array.from({ length: samples }, (_, index) => bytes.readInt16LE(index * EVERY_TWELFTH_BYTES));
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
    if (this.#child.exitCode === null) {
      this.#child.kill("SIGKILL");
      await once(this.#child, "exit");
    }
    await rm(this.#folder, { recursive: true, force: true });
  }
}
