import { createPublicKey, type KeyObject, sign, verify } from "node:crypto";
import { BlockList, isIP } from "node:net";
import { z } from "zod";
import type { OtherNode } from "./node-client.ts";

/** An exchange that is silent for so long is forgotten; its calls were settled before. */
const LIFE_MS = 5 * 60_000;
/** How far clocks of exchanges may differ. */
const MAX_AHEAD_MS = 60_000;
/** Fits the list of two hundred exchanges into one request. */
const MAX_ANNOUNCED = 200;

const announcement = z.object({
  name: z.string().regex(/^[a-z0-9-]{1,20}$/),
  /** Of its control listener. */
  url: z.string().max(200),
  /** Milliseconds since 1970. */
  at: z.int(),
  /** Ed25519 of the other fields, base64. */
  signature: z.string().max(100),
});
export const announcementsBody = z.object({ announcements: z.array(announcement).max(MAX_ANNOUNCED) });
type Announcement = z.infer<typeof announcement>;

interface AnnouncingNode {
  readonly name: string;
  /** Null: this exchange is not in its own list, so it announces nothing. */
  readonly url: URL | null;
  /** Where others may be (`VOICE_NODE_HOSTS`). */
  readonly hosts: readonly string[];
  /** The key that all exchanges share, with which they sign events. */
  readonly signingKey: KeyObject;
}

/**
 * The exchanges that have announced themselves, and this one's own announcement. Exchanges pass announcements on, so each is signed by the
 * exchange it is about, and expires by the time that it was signed. Only addresses that the rule allows are taken, because commands go there with
 * the key.
 */
export class Announcements {
  readonly #self: AnnouncingNode;
  readonly #publicKey: KeyObject;
  readonly #now: () => number;
  readonly #known = new Map<string, Announcement>();

  constructor(self: AnnouncingNode, now: () => number = Date.now) {
    this.#self = self;
    this.#publicKey = createPublicKey(self.signingKey);
    this.#now = now;
  }

  /** Whether exchanges may be there that this one does not know yet. */
  get isOpen(): boolean {
    return this.#self.hosts.length > 0;
  }

  get others(): OtherNode[] {
    this.#forgetSilent();
    return [...this.#known.values()].map(({ name, url }) => ({ name, url: new URL(url) }));
  }

  /** All that is known, with a fresh one of this exchange. */
  all(): Announcement[] {
    this.#forgetSilent();
    const { name, url, signingKey } = this.#self;
    if (url === null || !this.isOpen) return [...this.#known.values()];
    const own = { name, url: url.origin, at: this.#now() };
    return [...this.#known.values(), { ...own, signature: sign(null, textOf(own), signingKey).toString("base64") }];
  }

  /** Takes those that are genuine, fresh and allowed; the others are passed over. */
  take(announcements: readonly Announcement[]): void {
    this.#forgetSilent();
    for (const one of announcements) {
      const before = this.#known.get(one.name)?.at ?? 0;
      const isFull = before === 0 && this.#known.size >= MAX_ANNOUNCED - 1;
      if (one.name === this.#self.name || one.at <= before || isFull) continue;
      if (this.#isFresh(one) && this.#isAllowed(one.url) && this.#isGenuine(one)) this.#known.set(one.name, one);
    }
  }

  #isFresh({ at }: Announcement): boolean {
    return at > this.#now() - LIFE_MS && at <= this.#now() + MAX_AHEAD_MS;
  }

  /** An origin by the same protocol as this exchange's, so that nobody takes the key off TLS. */
  #isAllowed(address: string): boolean {
    if (!URL.canParse(address)) return false;
    const { origin, hostname, protocol } = new URL(address);
    return origin === address && protocol === this.#self.url?.protocol && allowsHost(this.#self.hosts, hostname);
  }

  #isGenuine(one: Announcement): boolean {
    return verify(null, textOf(one), this.#publicKey, Buffer.from(one.signature, "base64"));
  }

  #forgetSilent(): void {
    for (const [name, one] of this.#known) if (!this.#isFresh(one)) this.#known.delete(name);
  }
}

/** The signed text names its purpose, because the key signs events, too. */
function textOf({ name, url, at }: Omit<Announcement, "signature">): Buffer {
  return Buffer.from(JSON.stringify(["farline exchange", name, url, at]));
}

/** Whether a host is in one of the networks, such as 10.0.0.0/16, or domains, such as .exchange.internal. */
function allowsHost(rules: readonly string[], hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, "");
  const family = familyOf(host);
  if (family === null) return rules.some((rule) => rule.startsWith(".") && host.endsWith(rule));
  const networks = new BlockList();
  for (const rule of rules) {
    const [address = "", bits = ""] = rule.split("/");
    const of = familyOf(address);
    if (of !== null) networks.addSubnet(address, Number(bits), of);
  }
  return networks.check(host, family);
}

function familyOf(address: string): "ipv4" | "ipv6" | null {
  const version = isIP(address);
  return version === 0 ? null : version === 4 ? "ipv4" : "ipv6";
}
