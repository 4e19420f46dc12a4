import { createSocket, type Socket } from "node:dgram";
import { once } from "node:events";
import type { EngineSettings } from "../src/media/rtpengine/engine.ts";
import { LOOPBACK } from "./loopback.ts";

/** Passes ng commands on to an rtpengine, and responses back, but loses one kind of command when told to. */
export class NgRelay {
  /** The command that is lost. */
  loses: string | null = null;
  /** How often each lost command was sent, by its cookie. */
  readonly lost = new Map<string, number>();
  readonly #near: Socket = createSocket("udp4");
  readonly #far: Socket = createSocket("udp4");

  static async to(engine: { readonly host: string; readonly port: number }): Promise<NgRelay> {
    const relay = new NgRelay();
    relay.#far.connect(engine.port, engine.host);
    relay.#near.bind(0, LOOPBACK.bound);
    await Promise.all([once(relay.#far, "connect"), once(relay.#near, "listening")]);
    return relay;
  }

  private constructor() {
    let client = { port: 0, address: "" };
    this.#near.on("message", (datagram, from) => {
      client = from;
      const isLost = this.loses !== null && datagram.includes(`7:command${this.loses.length}:${this.loses}`);
      const cookie = datagram.toString("latin1", 0, datagram.indexOf(" "));
      if (isLost) this.lost.set(cookie, (this.lost.get(cookie) ?? 0) + 1);
      else this.#far.send(datagram);
    });
    this.#far.on("message", (datagram) => this.#near.send(datagram, client.port, client.address));
  }

  get settings(): EngineSettings {
    return { host: LOOPBACK.bound, port: this.#near.address().port, weight: 1 };
  }

  close(): void {
    this.#near.close();
    this.#far.close();
  }
}
