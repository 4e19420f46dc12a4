import type { CookieName } from "@farline/contract/constants.ts";
import type { FastifyReply, FastifyRequest } from "fastify";

/**
 * Browsers accept the `__Host-` prefix only from the host itself, over HTTPS, and for the whole site. Those of customers, and the
 * operators' session.
 */
export type HostCookieName = Extract<CookieName, `__Host-${string}`> | "__Host-operator";

/** The cookie's value, or undefined if the browser sent none. */
export function readHostCookie(request: FastifyRequest, name: HostCookieName): string | undefined {
  return request.cookies[name];
}

/** Sets a cookie that scripts cannot read and cross-site requests do not carry. `maxAgeSeconds` 0 removes it. */
export function setHostCookie(reply: FastifyReply, name: HostCookieName, value: string, maxAgeSeconds: number): void {
  reply.setCookie(name, value, { httpOnly: true, secure: true, sameSite: "strict", path: "/", maxAge: maxAgeSeconds });
}
