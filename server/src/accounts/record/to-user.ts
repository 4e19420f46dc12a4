import type { User } from "@farline/contract/accounts.ts";
import type { Profile } from "./customer.store.ts";
import { isDisposableAddress } from "./disposable-address.ts";

/** A customer in the contract's form. */
export function toUser(customer: Profile): User {
  return {
    id: customer.id,
    name: customer.name,
    email: customer.email,
    email_verified: customer.emailVerified,
    email_refused: customer.emailRefused,
    link_mailed: customer.linkMailed,
    disposable_email: isDisposableAddress(customer.email),
    status: customer.status,
    frozen_because: customer.frozenBecause,
    closes_at: customer.closesAt?.toISOString() ?? null,
    language: customer.language,
    has_password: customer.hasPassword,
    created_at: customer.createdAt.toISOString(),
  };
}
