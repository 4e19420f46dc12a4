import type { CookieName } from "@farline/contract/constants.ts";
import type { FastifyReply, FastifyRequest } from "fastify";

const PREFIX = "__Host-";

/**
 * Browsers accept the `__Host-` prefix only from the host itself, over HTTPS, and for the whole site. Those of customers, and the
 * operators' session.
 */
type HostCookieName = Extract<CookieName, `${typeof PREFIX}${string}`> | `${typeof PREFIX}operator`;

declare module "fastify" {
  interface FastifyInstance {
    /** Whether the installation's own address is plain http, which production refuses. Safari keeps no `Secure` cookie of it. */
    isPlainHttp: boolean;
  }
}

/** The cookie's value, or undefined if the browser sent none. On plain http it has no prefix. */
export function readHostCookie({ cookies, server }: FastifyRequest, name: HostCookieName): string | undefined {
  return cookies[name] ?? (server.isPlainHttp ? cookies[name.slice(PREFIX.length)] : undefined);
}

/** Sets a cookie that scripts cannot read and cross-site requests do not carry. `maxAgeSeconds` 0 removes it. */
export function setHostCookie(reply: FastifyReply, name: HostCookieName, value: string, maxAgeSeconds: number): void {
  const secure = !reply.server.isPlainHttp;
  const options = { httpOnly: true, secure, sameSite: "strict", path: "/", maxAge: maxAgeSeconds } as const;
  reply.setCookie(secure ? name : name.slice(PREFIX.length), value, options);
}
