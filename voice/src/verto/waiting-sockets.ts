import type { Duplex } from "node:stream";
import { clientHost, clientNetwork } from "@farline/domain/client-network.ts";

/** A connection that has not signed in by then is cut. The SDK signs in with its first frame. */
const LOGIN_TIMEOUT_MS = 5_000;
/** Maximum concurrent connections that have not signed in: per host, per network, and in total. */
const MAX_WAITING_PER_HOST = 20;
const MAX_WAITING_PER_NETWORK = 200;
const MAX_WAITING = 2_000;

/** A connection's slot while it has not signed in. */
export interface WaitingPlace {
  /** Frees the slot: the connection has signed in or closed. */
  leave(): void;
}

interface Waiting extends WaitingPlace {
  readonly socket: Duplex;
}

/**
 * Anonymous connections, from the first byte to the sign-in. When a limit is reached, the one that has waited longest
 * makes room, so that a newcomer always gets in, and first within its own host and network, so that a flood displaces itself.
 */
export class WaitingSockets {
  readonly #all = new Set<Waiting>();
  readonly #hosts = new Map<string, Set<Waiting>>();
  readonly #networks = new Map<string, Set<Waiting>>();

  get size(): number {
    return this.#all.size;
  }

  add(socket: Duplex, address: string): WaitingPlace {
    const [host, network] = [clientHost(address), clientNetwork(address)];
    const timer = setTimeout(() => cut(waiting), LOGIN_TIMEOUT_MS);
    const waiting: Waiting = {
      socket,
      leave: () => {
        clearTimeout(timer);
        this.#all.delete(waiting);
        removeFrom(this.#hosts, host, waiting);
        removeFrom(this.#networks, network, waiting);
      },
    };
    this.#all.add(waiting);
    makeRoom(addTo(this.#hosts, host, waiting), MAX_WAITING_PER_HOST);
    makeRoom(addTo(this.#networks, network, waiting), MAX_WAITING_PER_NETWORK);
    makeRoom(this.#all, MAX_WAITING);
    socket.once("close", () => waiting.leave());
    return waiting;
  }
}

function makeRoom(sockets: ReadonlySet<Waiting>, max: number): void {
  const [oldest] = sockets;
  if (oldest !== undefined && sockets.size > max) cut(oldest);
}

function cut(waiting: Waiting): void {
  waiting.leave();
  waiting.socket.destroy();
}

function addTo(groups: Map<string, Set<Waiting>>, key: string, waiting: Waiting): ReadonlySet<Waiting> {
  const group = groups.get(key) ?? new Set();
  groups.set(key, group.add(waiting));
  return group;
}

function removeFrom(groups: Map<string, Set<Waiting>>, key: string, waiting: Waiting): void {
  const group = groups.get(key);
  group?.delete(waiting);
  if (group?.size === 0) groups.delete(key);
}
