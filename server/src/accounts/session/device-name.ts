import { isIP } from "node:net";
import { clientHost } from "@farline/domain/client-network.ts";
import { UNKNOWN_DEVICE } from "@farline/texts/device-message.ts";
import type { FastifyRequest } from "fastify";
import type { RequestOrigin } from "../record/request-origin.ts";

const BROWSERS: readonly (readonly [RegExp, string])[] = [
  [/\bEdg(?:e|A|iOS)?\//, "Edge"],
  [/\bOPR\/|\bOpera\b/, "Opera"],
  [/\bSamsungBrowser\//, "Samsung Internet"],
  [/\b(?:Firefox|FxiOS)\//, "Firefox"],
  [/\b(?:Chrome|CriOS|Chromium)\//, "Chrome"],
  [/\bVersion\/[\d.]+.*\bSafari\//, "Safari"],
];

const SYSTEMS: readonly (readonly [RegExp, string])[] = [
  [/\biPhone\b/, "iPhone"],
  [/\biPad\b/, "iPad"],
  [/\bAndroid\b/, "Android"],
  [/\bWindows\b/, "Windows"],
  [/\bCrOS\b/, "ChromeOS"],
  [/\bMac OS X\b|\bMacintosh\b/, "Mac"],
  [/\bLinux\b/, "Linux"],
];

const LONGEST_HEADER = 500;

/** Names the device of a User-Agent header: "Chrome on Windows", "Safari on iPhone", "Unknown device". */
export function deviceName(userAgent: string | undefined): string {
  const text = (userAgent ?? "").slice(0, LONGEST_HEADER);
  const browser = BROWSERS.find(([mark]) => mark.test(text))?.[1];
  const system = SYSTEMS.find(([mark]) => mark.test(text))?.[1];
  if (browser !== undefined && system !== undefined) return `${browser} on ${system}`;
  return browser ?? system ?? UNKNOWN_DEVICE;
}

/** Shortens a network for display: recognisable, but too short to locate anybody. @param network from `clientHost` */
export function shortNetwork(network: string): string {
  if (network.includes(":")) return `${network.split(":").slice(0, 3).join(":")}::x`;
  return network.replace(/\.\d+$/, ".x");
}

const SHORT_V4 = /^(\d{1,3}\.\d{1,3}\.\d{1,3})(?:\.x?|)$/;
/** An IPv4 address or its /24; an IPv6 address or its /48. Wider networks are not recorded. */
const LENGTHS: Readonly<Record<number, readonly string[]>> = { 4: ["24", "32"], 6: ["48", "64", "128"] };

/** How the network of a typed address or prefix is recorded: `203.0.113.7` and `203.0.113.0/24` as `203.0.113.x`. Null for anything else. */
export function shortNetworkOf(typed: string): string | null {
  const [address = "", length, ...more] = typed.trim().toLowerCase().replace(/::x$/, "::").replace(SHORT_V4, "$1.0").split("/");
  const version = isIP(address);
  if (version === 0 || address.includes("%") || more.length > 0) return null;
  return length === undefined || LENGTHS[version]?.includes(length) === true ? shortNetwork(clientHost(address)) : null;
}

export function requestOrigin(request: FastifyRequest): RequestOrigin {
  return { device: deviceName(request.headers["user-agent"]), network: shortNetwork(clientHost(request.ip)) };
}
