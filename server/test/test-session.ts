import type { Customer, SessionWithCustomer } from "../src/accounts/accounts.ts";

/** A new session, without a password or browser. */
export function testSession(
  customer: Omit<Customer, "name" | "language" | "payerId"> & Partial<Customer>,
  now: Date,
): SessionWithCustomer {
  return {
    name: "Ada Lovelace",
    language: "en",
    payerId: null,
    hasPassword: true,
    emailRefused: false,
    linkMailed: false,
    frozenBecause: null,
    closesAt: null,
    ...customer,
    sessionId: customer.id,
    lastSeenAt: now,
    authenticatedAt: now,
    browserHash: null,
  };
}
