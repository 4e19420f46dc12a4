import { UNATTENDED_HEADER } from "@farline/contract/constants.ts";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Context, Operator } from "../../context.ts";
import { AppError } from "../../platform/app-error.ts";
import { readHostCookie, setHostCookie } from "../../platform/http/host-cookie.ts";
import type { Guard } from "../../platform/http/http.ts";
import { actorOf, admitOperator } from "./operator-sessions.ts";
import type { OperatorSession } from "./operator-session.store.ts";

/** An operator's session in the console. No customer's route reads it. */
const COOKIE = "__Host-operator";
const MAX_AGE_SECONDS = 8 * 60 * 60;

const BEARER = /^bearer (fo_[A-Za-z0-9_-]{43})$/i;

/** By a page of the console, by hand, or by a program. */
const SAME_ORIGIN = new Set<unknown>(["same-origin", "none", undefined]);

const sessions = new WeakMap<FastifyRequest, OperatorSession>();

/**
 * Enforces the access `operator`, with the right that the route declares. In the console a cookie authenticates, so requests that another
 * page of the same site causes are refused too. A command line sends its token in a header.
 */
export function operatorGuard(ctx: Context): Guard {
  return async (request) => {
    const { right } = request.routeOptions.config;
    if (right === undefined) throw new Error(`${String(request.routeOptions.url)} declares no right.`);
    if (!SAME_ORIGIN.has(request.headers["sec-fetch-site"])) throw new AppError("forbidden");
    const token = commandLineToken(request);
    const place =
      token === null ? { token: consoleToken(request), kind: "console" as const } : { token, kind: "command_line" as const };
    // Else a command line could sign in the next one and never prove who uses it.
    if (right === "command-line" && place.kind === "command_line") throw new AppError("forbidden");
    sessions.set(request, await admitOperator(ctx, { ...place, right, unattended: isUnattended(request) }));
  };
}

/** Whether the page asks by itself, not because its operator did something. */
function isUnattended({ headers }: FastifyRequest): boolean {
  return headers[UNATTENDED_HEADER] !== undefined || headers.accept === "text/event-stream";
}

/** The request's session, on a route for operators. @throws Error on any other route */
export function operatorSessionOf(request: FastifyRequest): OperatorSession {
  const session = sessions.get(request);
  if (session === undefined) throw new Error(`${String(request.routeOptions.url)} is not for operators.`);
  return session;
}

/** The actor of a request on a route for operators: `actingAs(ctx, operatorOf(request))`. @throws Error on any other route */
export function operatorOf(request: FastifyRequest): Operator {
  const { right } = request.routeOptions.config;
  if (right === undefined) throw new Error(`${String(request.routeOptions.url)} declares no right.`);
  return actorOf(operatorSessionOf(request), right);
}

/** The token in a command line's header; null without one. */
export function commandLineToken({ headers }: FastifyRequest): string | null {
  return BEARER.exec(headers.authorization ?? "")?.[1] ?? null;
}

/** The token of the console's cookie; null without one. */
export function consoleToken(request: FastifyRequest): string | null {
  return readHostCookie(request, COOKIE) ?? null;
}

/** Sets the console's cookie, or removes it. */
export function setConsoleToken(reply: FastifyReply, token: string | null): void {
  setHostCookie(reply, COOKIE, token ?? "", token === null ? 0 : MAX_AGE_SECONDS);
}
