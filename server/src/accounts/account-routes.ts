import { createHash } from "node:crypto";
import { loginRequest, registerRequest, type SessionResponse, type User, type UserResponse } from "@farline/contract/accounts.ts";
import type { App } from "../platform/http.ts";
import { networkOf } from "../platform/rate-limit.ts";
import { accountLimits } from "./account-limits.ts";
import type { AccountParts } from "./account-parts.ts";
import { deleteSession, emailKey, type Customer } from "./accounts.store.ts";
import { checkPassword, register } from "./register.ts";
import { bearerToken, hashToken } from "./session-token.ts";
import { signIn } from "./sign-in.ts";

/** `/api/register`, `/api/login`, `/api/logout` and `/api/user`. */
export function accountRoutes(app: App, parts: AccountParts): void {
  const limits = accountLimits(parts.handle, parts.config.limitsScale);

  app.post("/api/register", { schema: { body: registerRequest } }, async (request, reply) => {
    const wanted = request.body;
    checkPassword(wanted);
    const network = networkOf(request.ip);
    await limits.registerHour.take(network);
    await limits.registerDay.take(network);
    const { customer, token } = await register(parts, wanted);
    request.log.info({ customer: customer.id }, "customer registered");
    return reply.status(201).send({ token, user: toUser(customer) } satisfies SessionResponse);
  });

  app.post("/api/login", { schema: { body: loginRequest } }, async (request): Promise<SessionResponse> => {
    const wanted = request.body;
    const network = networkOf(request.ip);
    const account = accountKey(wanted.email);
    // Counted before the password is looked at, or many tries at once would slip through; a right one does not count.
    await limits.loginNetwork.take(network);
    await limits.loginAccount.take(account);
    const { customer, token } = await signIn(parts, wanted);
    await Promise.all([limits.loginNetwork.giveBack(network), limits.loginAccount.clear(account)]);
    return { token, user: toUser(customer) };
  });

  app.post("/api/logout", async (request, reply) => {
    await parts.authenticate(request);
    const token = bearerToken(request.headers.authorization);
    if (token !== null) await deleteSession(parts.handle.db, hashToken(token));
    return reply.header("clear-site-data", '"cache"').status(204).send();
  });

  app.get("/api/user", async (request): Promise<UserResponse> => ({ user: toUser(await parts.authenticate(request)) }));
}

/** The address itself need not stand among the counters. */
function accountKey(email: string): string {
  return createHash("sha256").update(emailKey(email)).digest("base64url");
}

function toUser(customer: Customer): User {
  return {
    id: customer.id,
    name: customer.name,
    email: customer.email,
    email_verified: customer.emailVerified,
    status: customer.status,
    created_at: customer.createdAt.toISOString(),
  };
}
