import type { FastifyReply, FastifyRequest } from "fastify";

/** Browsers take a cookie of this name only from its own host, over a safe connection, for the whole site. */
export type HostCookieName = `__Host-${string}`;

/** The value of a cookie, or undefined when the browser sent none. */
export function readHostCookie(request: FastifyRequest, name: HostCookieName): string | undefined {
  return request.cookies[name];
}

/** Sets a cookie that no script can read and no other site can send. `maxAgeSeconds` 0 removes it. */
export function setHostCookie(reply: FastifyReply, name: HostCookieName, value: string, maxAgeSeconds: number): void {
  reply.setCookie(name, value, { httpOnly: true, secure: true, sameSite: "strict", path: "/", maxAge: maxAgeSeconds });
}
