import { Stripe } from "stripe";
import { providerCustomerOf } from "../cards/saved-card.store.ts";
import type { Context } from "../../context.ts";

/**
 * Deletes the customer with name, address and saved cards at the provider, which keeps the payments. Does nothing if there is none.
 * @throws Error if the provider cannot be reached; safe to retry
 */
export async function deleteProviderCustomer({ handle, stripe }: Context, customerId: string): Promise<void> {
  const known = await providerCustomerOf(handle.db, customerId);
  if (known === undefined) return;
  try {
    await stripe.customers.del(known);
  } catch (error) {
    if (!(error instanceof Stripe.errors.StripeError) || error.code !== "resource_missing") throw error;
  }
}
