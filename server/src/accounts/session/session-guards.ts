import type { FastifyRequest } from "fastify";
import type { Guard, Guards } from "../../platform/http/http.ts";
import type { RateLimit } from "../../platform/http/rate-limit.ts";
import type { Customer } from "../record/customer.store.ts";
import { requireRecentSignIn } from "./prove-owner.ts";
import type { SessionWithCustomer } from "./session.store.ts";
import type { ServiceContext, Context } from "../../context.ts";

const sessions = new WeakMap<FastifyRequest, SessionWithCustomer>();

/** Guards of customers' routes. Handlers with `step-up-when` access call `requireStepUp` themselves for requests that need it. */
export function sessionGuards(ctx: ServiceContext): Required<Pick<Guards, "customer" | "step-up" | "step-up-when">> {
  const customer = async (request: FastifyRequest) => void sessions.set(request, await ctx.authenticate(request));
  return {
    customer,
    "step-up-when": customer,
    async "step-up"(request) {
      await customer(request);
      requireStepUp(request, ctx);
    },
  };
}

/** The request's session, on a route for customers. @throws Error on any other route */
export function sessionOf(request: FastifyRequest): SessionWithCustomer {
  const session = sessions.get(request);
  if (session === undefined) throw new Error(`${String(request.routeOptions.url)} is not for customers.`);
  return session;
}

/** The request's session; undefined on a route that needs none. */
export function sessionIfAny(request: FastifyRequest): SessionWithCustomer | undefined {
  return sessions.get(request);
}

/** The request's customer, on a route for customers. @throws Error on any other route */
export function customerOf(request: FastifyRequest): Customer {
  return sessionOf(request);
}

/** For a route's `onRequest`: counts requests by customer before the body is read. */
export function perCustomer(limit: RateLimit): Guard {
  return (request) => limit.take(customerOf(request).id);
}

/**
 * Requires a recent sign-in for single requests of a `step-up-when` route.
 * @param goodForMs maximum age of the proof, by default that of `step-up`
 * @throws AppError reauth_required
 */
export function requireStepUp(request: FastifyRequest, ctx: Context, goodForMs?: number): void {
  requireRecentSignIn(ctx, sessionOf(request), goodForMs);
}
