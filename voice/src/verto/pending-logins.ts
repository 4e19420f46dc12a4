import type { Duplex } from "node:stream";
import { networksOf } from "@farline/domain/client-network.ts";
import { LISTENERS } from "../listener-bounds.ts";

/** The SDK signs in with its first frame. */
const BOUNDS = LISTENERS.browsers;

export interface LoginSlot {
  /** Called when the connection has signed in or closed. */
  free(): void;
}

interface PendingLogin extends LoginSlot {
  readonly socket: Duplex;
}

/**
 * Connections before login. At a limit the oldest is closed, so that a new one always gets in. The limits of host and network apply
 * first, so that a flood displaces its own connections.
 */
export class PendingLogins {
  readonly #all = new Set<PendingLogin>();
  readonly #networks = new Map<string, Set<PendingLogin>>();

  get size(): number {
    return this.#all.size;
  }

  add(socket: Duplex, address: string): LoginSlot {
    const networks = networksOf(address);
    const timer = setTimeout(() => close(login), BOUNDS.silentMs);
    const login: PendingLogin = {
      socket,
      free: () => {
        clearTimeout(timer);
        this.#all.delete(login);
        for (const { key } of networks) removeFrom(this.#networks, key, login);
      },
    };
    this.#all.add(login);
    for (const { key, times } of networks) enforceLimit(addTo(this.#networks, key, login), BOUNDS.perHost * times);
    enforceLimit(this.#all, BOUNDS.total);
    socket.once("close", () => login.free());
    return login;
  }
}

function enforceLimit(sockets: ReadonlySet<PendingLogin>, max: number): void {
  const [oldest] = sockets;
  if (oldest !== undefined && sockets.size > max) close(oldest);
}

function close(login: PendingLogin): void {
  login.free();
  login.socket.destroy();
}

function addTo(groups: Map<string, Set<PendingLogin>>, key: string, login: PendingLogin): ReadonlySet<PendingLogin> {
  const group = groups.get(key) ?? new Set();
  groups.set(key, group.add(login));
  return group;
}

function removeFrom(groups: Map<string, Set<PendingLogin>>, key: string, login: PendingLogin): void {
  const group = groups.get(key);
  group?.delete(login);
  if (group?.size === 0) groups.delete(key);
}
