import { BROWSER_COOKIE_SECONDS } from "@farline/contract/constants.ts";
import { createHash, randomBytes } from "node:crypto";
import type { FastifyReply, FastifyRequest } from "fastify";
import { readHostCookie, setHostCookie } from "../../platform/http/host-cookie.ts";

/**
 * A browser's random id, unreadable by scripts and shared by all who sign in there. It grants nothing
 * by itself, but exempts a known browser from account locks, and sessions can be bound to it.
 */
const COOKIE = "__Host-browser";
const BYTES = 32;
const VALUE = /^[A-Za-z0-9_-]{43}$/;

/** SHA-256 of the browser cookie, or null without one. */
export function browserHashOf(request: FastifyRequest): Buffer | null {
  const value = cookieOf(request);
  return value === null ? null : hash(value);
}

/** Sets or renews the browser cookie. @returns its SHA-256 */
export function renewBrowserCookie(request: FastifyRequest, reply: FastifyReply): Buffer {
  const value = cookieOf(request) ?? randomBytes(BYTES).toString("base64url");
  setHostCookie(reply, COOKIE, value, BROWSER_COOKIE_SECONDS);
  return hash(value);
}

/** Browsers not seen since this time are deleted. */
export function browsersSince(now: Date): Date {
  return new Date(now.getTime() - BROWSER_COOKIE_SECONDS * 1000);
}

function cookieOf(request: FastifyRequest): string | null {
  const value = readHostCookie(request, COOKIE);
  return value !== undefined && VALUE.test(value) ? value : null;
}

function hash(value: string): Buffer {
  return createHash("sha256").update(value).digest();
}
