import { createHash, randomBytes } from "node:crypto";
import type { FastifyReply, FastifyRequest } from "fastify";
import { readHostCookie, setHostCookie } from "../../platform/http/host-cookie.ts";

/**
 * Binds a Google sign-in to the browser that started it, so that a code injected into another browser, or stolen from this
 * one, is useless.
 */
const COOKIE = "__Host-gflow";
const BYTES = 32;
const VALUE = /^[A-Za-z0-9_-]{43}$/;

/** The browser's flow cookie, or null. */
export function flowCookieOf(request: FastifyRequest): string | null {
  const value = readHostCookie(request, COOKIE);
  return value !== undefined && VALUE.test(value) ? value : null;
}

/** Sets the flow cookie, or renews the existing one, because several tabs may sign in in parallel. */
export function renewFlowCookie(request: FastifyRequest, reply: FastifyReply, maxAgeSeconds: number): string {
  const value = flowCookieOf(request) ?? randomBytes(BYTES).toString("base64url");
  setHostCookie(reply, COOKIE, value, maxAgeSeconds);
  return value;
}

export function dropFlowCookie(reply: FastifyReply): void {
  setHostCookie(reply, COOKIE, "", 0);
}

/** Hash of a flow cookie, as stored. */
export function hashFlowCookie(cookie: string): Buffer {
  return createHash("sha256").update(cookie).digest();
}
