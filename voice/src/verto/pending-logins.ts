import type { Duplex } from "node:stream";
import { networksOf } from "@farline/domain/client-network.ts";

/** A connection that has not signed in by then is cut. The SDK signs in with its first frame. */
const LOGIN_TIMEOUT_MS = 5_000;
/** Maximum concurrent connections that have not signed in: per host (networks around it have a multiple), and in total. */
const MAX_WAITING_PER_HOST = 20;
const MAX_WAITING = 2_000;

/** A connection's slot while it has not signed in. */
export interface LoginSlot {
  /** Frees the slot: the connection has signed in or closed. */
  leave(): void;
}

interface Waiting extends LoginSlot {
  readonly socket: Duplex;
}

/**
 * Anonymous connections, from the first byte to the sign-in. When a limit is reached, the one that has waited longest
 * makes room, so that a newcomer always gets in, and first within its own host and network, so that a flood displaces itself.
 */
export class PendingLogins {
  readonly #all = new Set<Waiting>();
  readonly #networks = new Map<string, Set<Waiting>>();

  get size(): number {
    return this.#all.size;
  }

  add(socket: Duplex, address: string): LoginSlot {
    const networks = networksOf(address);
    const timer = setTimeout(() => cut(waiting), LOGIN_TIMEOUT_MS);
    const waiting: Waiting = {
      socket,
      leave: () => {
        clearTimeout(timer);
        this.#all.delete(waiting);
        for (const { key } of networks) removeFrom(this.#networks, key, waiting);
      },
    };
    this.#all.add(waiting);
    for (const { key, times } of networks) makeRoom(addTo(this.#networks, key, waiting), MAX_WAITING_PER_HOST * times);
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
