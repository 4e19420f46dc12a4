import type { Customer, SessionWithCustomer } from "../src/accounts/accounts.ts";

/** A session of somebody whom the test signs in without a password: just made, on no browser. */
export function testSession(customer: Omit<Customer, "name" | "language"> & Partial<Customer>, now: Date): SessionWithCustomer {
  return {
    name: "Ada Lovelace",
    language: "en",
    hasPassword: true,
    ...customer,
    sessionId: customer.id,
    lastSeenAt: now,
    authenticatedAt: now,
    browserHash: null,
  };
}
