import { Stripe } from "stripe";
import type { Config } from "../../platform/settings/config.ts";
import { providerCustomerOf } from "../cards/saved-card.store.ts";
import { isMissing, REFUSALS } from "../record/provider-refusals.ts";
import type { Context } from "../../context.ts";
import type { Uses } from "../../platform/uses.ts";

const TIMEOUT_MS = 10_000;
const NETWORK_RETRIES = 2;

/**
 * Creates the official client, for Stripe or for the sandbox at `apiBase`.
 * @param uses is told of each request's outcome
 */
export function createStripe(config: Pick<Config, "stripe">, uses: Uses | null = null): Stripe {
  const { secretKey, apiBase } = config.stripe;
  return new Stripe(secretKey, {
    maxNetworkRetries: NETWORK_RETRIES,
    timeout: TIMEOUT_MS,
    telemetry: false,
    ...addressOf(apiBase),
    ...(uses === null ? {} : { httpClient: reportingClient(uses) }),
  });
}

function reportingClient(uses: Uses): Stripe.HttpClient {
  const client = Stripe.createNodeHttpClient();
  const makeRequest: Stripe.HttpClient["makeRequest"] = async (...request) => {
    const [, , , method] = request;
    try {
      const response = await client.makeRequest(...request);
      const headers = response.getHeaders();
      const text = (name: string) => (typeof headers[name] === "string" ? headers[name] : null);
      const status = response.getStatusCode();
      const contentType = text("content-type");
      const mayBeOurs = method !== "GET" && REFUSALS.has(status) && contentType?.startsWith("application/json") === true;
      if (!mayBeOurs) uses.answered("payments", method, { status, contentType, date: text("date") });
      return response;
    } catch (error) {
      uses.unanswered("payments", method, error);
      throw error;
    }
  };
  return { getClientName: () => client.getClientName(), makeRequest };
}

function addressOf(apiBase: string | null): Stripe.StripeConfig {
  if (apiBase === null) return {};
  const url = new URL(apiBase);
  const protocol = url.protocol === "https:" ? "https" : "http";
  return { host: url.hostname, port: url.port || (protocol === "https" ? 443 : 80), protocol };
}

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
    if (!isMissing(error)) throw error;
  }
}
