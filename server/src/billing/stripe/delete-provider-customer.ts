import { Stripe } from "stripe";
import { providerCustomerOf } from "../cards/saved-card.store.ts";
import type { Context } from "../../context.ts";

/**
 * Deletes the customer at the provider, with name, address and saved cards. Its payments stay there. Does nothing if the
 * provider has none.
 * @throws Error when the provider cannot be reached; repeat it then
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
