import { Stripe } from "stripe";
import type { Config } from "../../platform/settings/config.ts";
import { providerCustomerOf } from "../cards/saved-card.store.ts";
import type { Context } from "../../context.ts";
import type { Uses } from "../../platform/uses.ts";

const TIMEOUT_MS = 10_000;
const NETWORK_RETRIES = 2;
/** Of changes, only who asked for them knows whether these are somebody's mistake: see `recordRefusal`. */
const REFUSALS: ReadonlySet<number> = new Set([400, 403, 404]);
/** The provider names the permission that a request of a restricted key needs. */
const PERMISSION = /\brak_\w+/;

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

/** Says that the provider refused what no customer can spoil: our account may not charge, or our key or request is wrong. */
export function recordRefusal({ uses }: Pick<Context, "uses">, error: InstanceType<typeof Stripe.errors.StripeError>): void {
  const { statusCode = 0, code } = error;
  if (REFUSALS.has(statusCode)) uses.record("payments", `It refuses our requests (${code ?? `status ${statusCode}`}).`);
}

/** What a restricted key lacks for the request that failed, for example "rak_balance_transaction_read"; null if it failed otherwise. */
export function missingPermission(error: unknown, needed: string): string | null {
  if (!(error instanceof Stripe.errors.StripePermissionError)) return null;
  return PERMISSION.exec(error.message)?.[0] ?? needed;
}

/** Whether the provider does not take a customer's address: mail servers accept more than it does, such as letters outside ASCII. */
export function isAddressRefused(error: unknown): boolean {
  return error instanceof Stripe.errors.StripeError && error.code === "email_invalid";
}

/** Whether the provider does not know what was asked for: somebody deleted it there, or it belongs to another account of ours. */
export function isMissing(error: unknown): boolean {
  return error instanceof Stripe.errors.StripeError && error.code === "resource_missing";
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
