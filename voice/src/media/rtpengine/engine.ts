import type { Logger } from "pino";
import { MediaError } from "../media-plane.ts";
import type { BencodedDictionary } from "./bencode.ts";
import { NgClient, NgRefusal, type NgResponse, type RetryPolicy } from "./ng-client.ts";

export interface EngineSettings {
  readonly host: string;
  /** UDP port for ng commands. */
  readonly port: number;
  /** Share of calls relative to the other instances. */
  readonly weight: number;
}

const PING_MS = 1_000;
const PING: RetryPolicy = { repeatAfterMs: [], giveUpAfterMs: PING_MS };
const DOWN_AFTER_MISSES = 2;
const UP_AFTER_PONGS = 3;
/** After refusing a call, an instance is tried last for this long. */
const FULL_MS = 5_000;
/** Errors of an instance that is drained (`maxsessions 0`) or full. */
const FULL = /limit (reached|exceeded)|ran out of ports/i;

/** A call or announcement on an instance. */
export interface EngineLeg {
  /** The instance is down. */
  fail(): void;
  /** The plane is closing: ends the leg and frees its ports. */
  release(): Promise<void>;
}

type EngineState = "up" | "down" | "full";

/** An rtpengine instance, with health checks by ping. Drained instances still answer pings, so a ping does not prove readiness. */
export class Engine {
  readonly name: string;
  readonly weight: number;
  readonly legs = new Set<EngineLeg>();
  readonly #client: NgClient;
  readonly #log: Logger;
  #up = false;
  #misses = 0;
  #pongs = 0;
  #fullUntilMs = 0;
  #timer: NodeJS.Timeout | null = null;

  private constructor(settings: EngineSettings, client: NgClient, log: Logger) {
    this.name = `${settings.host}:${settings.port}`;
    this.weight = settings.weight;
    this.#client = client;
    this.#log = log.child({ rtpengine: this.name });
  }

  /** Resolves after the first ping, answered or not. */
  static async start(settings: EngineSettings, log: Logger): Promise<Engine> {
    const engine = new Engine(settings, await NgClient.open(settings), log);
    engine.#up = await engine.#ping();
    engine.#log[engine.#up ? "info" : "error"]({ up: engine.#up }, "rtpengine pinged");
    // oxlint-disable-next-line farline/bounded-timers -- ends with `close`
    engine.#timer = setInterval(() => void engine.#check(), PING_MS);
    return engine;
  }

  get state(): EngineState {
    if (!this.#up) return "down";
    return performance.now() < this.#fullUntilMs ? "full" : "up";
  }

  /** Legs relative to the weight. */
  get load(): number {
    return this.legs.size / this.weight;
  }

  /** @throws MediaError `no_such_leg` for an unknown call, `no_capacity` if full, `bad_sdp` or `internal` for other errors, `timeout` */
  async request(command: string, body: BencodedDictionary): Promise<NgResponse> {
    try {
      return await this.#client.request(command, body);
    } catch (error) {
      if (!(error instanceof NgRefusal)) throw error;
      if (/unknown call-id/i.test(error.message)) throw new MediaError("no_such_leg", "The leg has ended.");
      if (!FULL.test(error.message)) {
        const code = command === "offer" || command === "answer" ? "bad_sdp" : "internal";
        throw new MediaError(code, `rtpengine refused ${command}: ${error.message}`);
      }
      this.#fullUntilMs = performance.now() + FULL_MS;
      throw new MediaError("no_capacity", `rtpengine is full: ${error.message}`);
    }
  }

  close(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#client.close();
    this.#failAll();
  }

  async #ping(): Promise<boolean> {
    const answer = await this.#client.request("ping", {}, PING).catch(() => null);
    return answer?.result === "pong";
  }

  async #check(): Promise<void> {
    if (await this.#ping()) {
      this.#misses = 0;
      this.#pongs += 1;
    } else {
      this.#misses += 1;
      this.#pongs = 0;
    }
    if (this.#up && this.#misses >= DOWN_AFTER_MISSES) this.#down();
    else if (!this.#up && this.#pongs >= UP_AFTER_PONGS) {
      this.#up = true;
      this.#log.info("rtpengine is up again");
    }
  }

  #down(): void {
    this.#up = false;
    this.#log.error({ legs: this.legs.size }, "rtpengine does not respond, its calls end");
    this.#failAll();
  }

  #failAll(): void {
    for (const one of [...this.legs]) one.fail();
    this.legs.clear();
  }
}
