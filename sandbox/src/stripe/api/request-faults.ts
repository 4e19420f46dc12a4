import type { StripeContext } from "../stripe-context.ts";
import { StripeApiError } from "./stripe-error.ts";

/**
 * Rejects a request without processing it, if a fault affects it.
 * @param creates whether the request creates an object
 * @throws StripeApiError 429 or 500
 */
export async function injectRequestFault({ chaos, random }: StripeContext, creates: boolean): Promise<void> {
  const { rateLimits, serverErrors } = chaos.current;
  if ((creates && (await chaos.take("limitNextCreate"))) || random() * 100 < rateLimits)
    throw new StripeApiError(
      429,
      "Request rate limit exceeded. Learn more about rate limits here: docs.stripe.com/rate-limits.",
      { code: "rate_limit" },
    );
  if ((creates && (await chaos.take("failNextCreate"))) || random() * 100 < serverErrors)
    throw new StripeApiError(500, "An unknown error occurred", { type: "api_error" });
}

/** Whether a fault drops the response to a processed request. */
export async function dropsResponse({ chaos, random }: StripeContext, creates: boolean): Promise<boolean> {
  return (creates && (await chaos.take("dropNextAnswer"))) || random() * 100 < chaos.current.dropAnswers;
}
