import type { SipRequest } from "@farline/sip/message/message.ts";
import { parseSipUri } from "@farline/sip/message/uri.ts";
import { type Destination, destinationOf } from "@farline/sip/transport/order-targets.ts";
import type { Resolver } from "@farline/sip/transport/resolver.ts";
import type { SipTransports } from "@farline/sip/transport/sip-transports.ts";
import { type ConnectionOwner, isStream, type Target, targetKey } from "@farline/sip/transport/target.ts";
import type { Logger } from "pino";
import { mayReach } from "../../address.ts";
import { dropOldest } from "../../drop-oldest.ts";
import { type TrunkConfig, trunkDestination } from "../trunk.ts";

/** How long another address of the trunk is preferred to one that did not respond. */
const AVOID_MS = 60_000;
/** Distinct addresses that are remembered. */
const MAX_SILENT = 100;
/** URIs of a dialog that are resolved. */
const MAX_HOPS = 8;
/** Addresses of a host that are connected to, one after the other. */
const MAX_CONNECTS = 3;

/** Where a request goes. */
export interface NextHop {
  /** The first Route, or the Request-URI (RFC 3261 §8.1.2). */
  readonly uri: string;
  /** The INVITE of the dialog. If the URI leads nowhere, the request goes where that went, because a response came from there. */
  readonly invite?: SipRequest;
  /** Nothing that was sent to the URI so far has arrived. */
  readonly isDeaf?: boolean;
}

export interface Way {
  readonly target: Target;
  /** Where else it could go. */
  readonly targets: readonly Target[];
}

interface SentWay extends Way {
  readonly sentAtMs: number;
}

interface TrunkWaysOptions {
  readonly trunk: TrunkConfig;
  readonly owner: ConnectionOwner;
  readonly resolver: Pick<Resolver, "resolve">;
  readonly transports: Pick<SipTransports, "connect" | "break" | "isConnected" | "isSilentSince">;
  /** Where the trunk's own connection leads; null without one. */
  readonly connectedTo: () => Target | null;
  readonly log: Logger;
}

/** Decides where the requests of a trunk go, over every transport (RFC 3261 §8.1.2, RFC 3263 §4). */
export class TrunkWays {
  readonly #options: TrunkWaysOptions;
  readonly #own: Destination;
  /** Addresses that did not respond to a request. */
  readonly #silentUntil = new Map<string, number>();
  readonly #replacedAt = new Map<string, number>();
  readonly #sent = new WeakMap<SipRequest, SentWay>();
  /** Where the registrar accepted us: other addresses of the trunk do not know us (RFC 5626 §4). */
  #registeredAt: Target | null = null;
  /** The Route of requests outside dialogs but REGISTER (RFC 3608 §6.1). */
  routes: readonly string[] = [];
  /** The trunk's addresses when they were last resolved. */
  #known: readonly Target[] = [];
  #hasWarned = false;

  constructor(options: TrunkWaysOptions) {
    this.#options = options;
    this.#own = trunkDestination(options.trunk);
  }

  /** @throws Error if no address was found, or none could be connected to */
  async of({ uri, invite, isDeaf = false }: NextHop): Promise<Way> {
    const destination = destinationFrom(this.#own, uri);
    if (destination === null || isSameDestination(destination, this.#own)) return this.toTrunk();
    if (invite === undefined) return this.#reach(destination, () => true);
    const fallback = await this.#wayBack(invite);
    try {
      if (isDeaf) throw new Error("The far side does not hear us.");
      return await this.#reach(destination, ({ address }) => mayReach(address, fallback.target.address));
    } catch (error) {
      this.#warn(destination, error);
      return fallback;
    }
  }

  /** Where the trunk is: over its connection, or at its first address that responds. */
  async toTrunk(): Promise<Way> {
    const connected = this.#options.connectedTo();
    if (connected !== null) return { target: connected, targets: this.#known };
    const targets = await this.resolveTrunk();
    const [target] = targets;
    if (target === undefined) throw new Error(`No address of ${this.#own.host} was found.`);
    return { target, targets };
  }

  /** The trunk's addresses: the one at which we are registered first, those that have not responded lately last (RFC 3263 §4.3). */
  async resolveTrunk(): Promise<Target[]> {
    const targets = await this.#resolve(this.#own);
    const registered = targets.filter((target) => this.isRegisteredAt(target));
    this.#known = this.#inOrder([...registered, ...targets.filter((target) => !registered.includes(target))]);
    return [...this.#known];
  }

  /** The addresses that a dialog's URIs lead to. Its far side may send us requests from there. */
  async addressesOf(uris: readonly string[], invite: SipRequest): Promise<string[]> {
    const { target } = await this.#wayBack(invite);
    const destinations = uris.slice(0, MAX_HOPS).flatMap((uri) => destinationFrom(this.#own, uri) ?? []);
    const found = await Promise.all(destinations.map((destination) => this.#resolve(destination).catch(() => [])));
    return found.flat().flatMap(({ address }) => (mayReach(address, target.address) ? [address] : []));
  }

  sent(request: SipRequest, way: Way): void {
    this.#sent.set(request, { ...way, sentAtMs: performance.now() });
  }

  /** The request was answered where it went. */
  responds(target: Target): void {
    this.#silentUntil.delete(targetKey(target));
  }

  /** @param routes the proxies through which the registrar wants our requests */
  registered(request: SipRequest, routes: readonly string[]): void {
    this.#registeredAt = this.#sent.get(request)?.target ?? null;
    this.routes = routes;
  }

  isRegisteredAt(target: Target | undefined): boolean {
    return target !== undefined && this.#registeredAt !== null && targetKey(target) === targetKey(this.#registeredAt);
  }

  targetOf(request: SipRequest): Target | undefined {
    return this.#sent.get(request)?.target;
  }

  wentOver(request: SipRequest, peer: Target): boolean {
    const target = this.targetOf(request);
    return target !== undefined && targetKey(target) === targetKey(peer);
  }

  /**
   * The address that a request went to fails: others are preferred for a while (RFC 3263 §4.3). Returns whether there is another way:
   * another address, or a new connection in place of a dead one.
   */
  avoid(request: SipRequest): boolean {
    const way = this.#sent.get(request);
    if (way === undefined) return false;
    this.#silentUntil.set(targetKey(way.target), performance.now() + AVOID_MS);
    dropOldest(this.#silentUntil, MAX_SILENT);
    if (this.isDead(request)) return true;
    // A connection that works is kept.
    if (isStream(way.target.transport) && this.#options.transports.isConnected(way.target)) return false;
    return way.targets.some((target) => !this.#isSilent(target));
  }

  /** Whether nothing has come over the request's connection since it was sent, and the connection was not replaced lately. */
  isDead(request: SipRequest): boolean {
    const way = this.#sent.get(request);
    if (way === undefined || !isStream(way.target.transport)) return false;
    if ((this.#replacedAt.get(targetKey(way.target)) ?? -Infinity) + AVOID_MS > performance.now()) return false;
    return this.#options.transports.isSilentSince(way.target, way.sentAtMs);
  }

  /** Breaks the connection of a request, so that the next one opens another. */
  replace(target: Target): void {
    this.#replacedAt.set(targetKey(target), performance.now());
    dropOldest(this.#replacedAt, MAX_SILENT);
    this.#options.transports.break(target, new Error("The peer does not respond over the SIP connection."));
  }

  /** Where an INVITE went, or over the trunk's new connection if its own broke. */
  async #wayBack(invite: SipRequest): Promise<Way> {
    const way = this.#sent.get(invite);
    if (way === undefined || (isStream(way.target.transport) && !this.#options.transports.isConnected(way.target)))
      return this.toTrunk();
    return way;
  }

  /** Another host than the trunk's. Over TCP and TLS the first address that accepts a connection. */
  async #reach(destination: Destination, isAllowed: (target: Target) => boolean): Promise<Way> {
    const targets = this.#inOrder(await this.#resolve(destination)).filter(isAllowed);
    const [first] = targets;
    if (first === undefined) throw new Error(`No address of ${destination.host} can be reached.`);
    const connected = this.#options.connectedTo();
    // The trunk's connection serves all that its address and port serve, whatever name led there.
    if (connected !== null && targets.some((target) => isSameSocket(target, connected))) return { target: connected, targets };
    if (!isStream(first.transport)) return { target: first, targets };
    let problem: unknown = null;
    for (const target of targets.slice(0, MAX_CONNECTS)) {
      try {
        await this.#options.transports.connect(target).ready;
        return { target, targets };
      } catch (error) {
        problem = error;
      }
    }
    throw problem;
  }

  async #resolve(destination: Destination): Promise<Target[]> {
    const { owner, resolver } = this.#options;
    return (await resolver.resolve(destination)).map((target) => ({ ...target, owner }));
  }

  #inOrder(targets: readonly Target[]): Target[] {
    return [...targets.filter((target) => !this.#isSilent(target)), ...targets.filter((target) => this.#isSilent(target))];
  }

  #isSilent(target: Target): boolean {
    return (this.#silentUntil.get(targetKey(target)) ?? 0) > performance.now();
  }

  #warn({ host }: Destination, err: unknown): void {
    if (this.#hasWarned) return;
    this.#hasWarned = true;
    this.#options.log.warn({ err, host }, "far side names an address that leads nowhere, answering where it answered from");
  }
}

/**
 * The destination of a URI, seen from a trunk (RFC 3263 §4.1). Without a transport in the URI that of the trunk counts, because many
 * carriers leave it out. Null means the trunk itself: for URIs that are no SIP URIs, and for a TLS trunk's that would leave TLS.
 */
export function destinationFrom(own: Destination, uri: string): Destination | null {
  const parsed = parseSipUri(uri);
  if (parsed === null) return null;
  if (parsed.scheme === "sip" && !parsed.parameters.has("transport"))
    return { host: parsed.parameters.get("maddr") ?? parsed.host, port: parsed.port, transport: own.transport };
  const destination = destinationOf(parsed);
  return destination === null || (own.transport === "TLS" && destination.transport !== "TLS") ? null : destination;
}

function isSameDestination(one: Destination, other: Destination): boolean {
  return one.host.toLowerCase() === other.host.toLowerCase() && one.port === other.port && one.transport === other.transport;
}

function isSameSocket(one: Target, other: Target): boolean {
  return one.transport === other.transport && one.address === other.address && one.port === other.port;
}
