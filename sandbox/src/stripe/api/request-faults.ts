import type { StripeContext } from "../stripe-context.ts";
import { StripeApiError } from "./stripe-error.ts";

/**
 * Refuses a request as an overloaded or broken Stripe would, if a fault says so. Nothing is done then.
 * @param creates whether the request makes something new
 * @throws StripeApiError 429 or 500
 */
export async function refuseByChance({ chaos, random }: StripeContext, creates: boolean): Promise<void> {
  const { rateLimits, serverErrors } = chaos.current;
  if ((creates && (await chaos.take("limitNextCreate"))) || random() * 100 < rateLimits)
    throw new StripeApiError(
      429,
      "Request rate limit exceeded. Learn more about rate limits here: docs.stripe.com/rate-limits.",
      {
        code: "rate_limit",
      },
    );
  if ((creates && (await chaos.take("failNextCreate"))) || random() * 100 < serverErrors)
    throw new StripeApiError(500, "An unknown error occurred", { type: "api_error" });
}

/** Whether a fault swallows the answer to a request that was done. */
export async function dropsAnswer({ chaos, random }: StripeContext, creates: boolean): Promise<boolean> {
  return (creates && (await chaos.take("dropNextAnswer"))) || random() * 100 < chaos.current.dropAnswers;
}
