import { RateLimiterMemory, RateLimiterRes } from "rate-limiter-flexible";
import { AppError } from "../platform/app-error.ts";

/** A success page asks every second or two for less than a minute. */
const CONFIRMS_A_MINUTE = 60;

/** Each confirmation may cost a question to Stripe, so one customer gets only so many. `scale` 0: no limit. */
export function limitConfirms(scale: number): (customerId: string) => Promise<void> {
  if (scale === 0) return async () => {};
  const limiter = new RateLimiterMemory({ points: Math.ceil(CONFIRMS_A_MINUTE * scale), duration: 60 });
  return async (customerId) => {
    try {
      await limiter.consume(customerId);
    } catch (refusal) {
      if (!(refusal instanceof RateLimiterRes)) throw refusal;
      throw new AppError("rate_limited", "Too many requests. Try again in a moment.", {
        retryAfterSeconds: Math.ceil(refusal.msBeforeNext / 1000),
      });
    }
  };
}
