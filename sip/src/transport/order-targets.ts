import type { SipUri } from "../message/uri.ts";
import { defaultPort, type Target, type TransportName } from "./target.ts";

/** A host that a message is meant for, before DNS (RFC 3263 §4). */
export interface Destination {
  /** A host name or an IP address; certificates must name it. */
  readonly host: string;
  /** Null: looked up in the SRV records. */
  readonly port: number | null;
  readonly transport: TransportName;
  /** The name of its SRV records, if NAPTR records said another than the usual one. */
  readonly service?: string | undefined;
}

/** RFC 3403 §4.1. */
export interface NaptrRecord {
  readonly order: number;
  readonly preference: number;
  readonly flags: string;
  readonly service: string;
  readonly replacement: string;
}

/** A transport that a host offers, and the name of its SRV records. */
export type Service = Required<Pick<Destination, "transport" | "service">>;

export interface SrvRecord {
  readonly name: string;
  readonly port: number;
  readonly priority: number;
  readonly weight: number;
}

/** Addresses of one host name, with the port to use. */
export interface ResolvedHost {
  readonly port: number;
  readonly addresses: readonly string[];
}

/** Of one destination. */
const MAX_TARGETS = 16;
/** Of one host. */
const MAX_SERVICES = 8;
const TRANSPORTS: ReadonlyMap<string, TransportName> = new Map([
  ["udp", "UDP"],
  ["tcp", "TCP"],
  ["tls", "TLS"],
]);

/** The services of NAPTR records that we use (RFC 3263 §4.1). A host that offers TLS for sips is spoken to over TLS. */
const SERVICES: ReadonlyMap<string, TransportName> = new Map([
  ["SIP+D2U", "UDP"],
  ["SIP+D2T", "TCP"],
  ["SIPS+D2T", "TLS"],
]);

/** The destination of a URI without NAPTR records (RFC 3263 §4.1). Null for transports that we do not have. */
export function destinationOf(uri: SipUri): Destination | null {
  const stated = uri.parameters.get("transport")?.toLowerCase() ?? (uri.scheme === "sips" ? "tcp" : "udp");
  const transport = TRANSPORTS.get(stated);
  if (transport === undefined || (uri.scheme === "sips" && transport === "UDP")) return null;
  const host = uri.parameters.get("maddr") ?? uri.host;
  return { host, port: uri.port, transport: uri.scheme === "sips" ? "TLS" : transport };
}

/** The name of the SRV records (RFC 3263 §4.2). */
export function srvName({ host, transport, service }: Destination): string {
  if (service !== undefined) return service;
  if (transport === "TLS") return `_sips._tcp.${host}`;
  return `_sip._${transport.toLowerCase()}.${host}`;
}

/** What a host offers by its NAPTR records, in the order to try; without any that we know, every transport (RFC 3263 §4.1). */
export function servicesOf(host: string, records: readonly NaptrRecord[]): Service[] {
  const known = records
    .toSorted((a, b) => a.order - b.order || a.preference - b.preference)
    .flatMap(({ flags, service, replacement }) => {
      const transport = SERVICES.get(service.toUpperCase());
      const isUsable = flags.toLowerCase() === "s" && replacement !== "";
      return transport === undefined || !isUsable ? [] : [{ transport, service: replacement }];
    });
  if (known.length > 0) return known.slice(0, MAX_SERVICES);
  return [...TRANSPORTS.values()].map((transport) => ({ transport, service: srvName({ host, port: null, transport }) }));
}

/** Orders records by priority, and at random by weight among equal ones (RFC 2782). `random` returns numbers from 0 to below 1. */
export function orderSrv<Srv extends SrvRecord>(records: readonly Srv[], random: () => number): Srv[] {
  const ordered: Srv[] = [];
  // Those of weight 0 come first, so that they have a small chance.
  const waiting = records.toSorted((a, b) => a.priority - b.priority || a.weight - b.weight);
  while (waiting.length > 0) {
    const group = waiting.filter(({ priority }) => priority === waiting[0]?.priority);
    let rest = Math.floor(random() * (group.reduce((sum, { weight }) => sum + weight, 0) + 1));
    const chosen = group.findIndex(({ weight }) => (rest -= weight) <= 0);
    ordered.push(...waiting.splice(Math.max(chosen, 0), 1));
  }
  return ordered;
}

/** All addresses in the order in which to try them (RFC 3263 §4.3), each once. */
export function orderTargets({ host, transport }: Destination, hosts: readonly ResolvedHost[]): Target[] {
  const domain = transport === "TLS" ? host : null;
  const targets = new Map<string, Target>();
  for (const { port, addresses } of hosts)
    for (const address of addresses)
      if (!targets.has(`${address} ${port}`)) targets.set(`${address} ${port}`, { transport, address, port, domain });
  return [...targets.values()].slice(0, MAX_TARGETS);
}

export function portOf({ port, transport }: Destination): number {
  return port ?? defaultPort(transport);
}
