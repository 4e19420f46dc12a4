import { reason } from "@farline/texts/reason.ts";
import { fromDecimalString, parseDollars } from "@farline/domain/money.ts";
import { z } from "zod";

/** An amount of dollars as a decimal string with 2 to 6 decimals, for example "24.60" or "-0.596400". Never a float. */
export const dollars = z.string().regex(/^-?\d{1,13}\.\d{2,6}$/);

/** A price per minute in dollars with 4 to 6 decimals, for example "0.0210". */
export const ratePerMinute = z.string().regex(/^\d{1,7}\.\d{4,6}$/);

/** ISO 3166-1 alpha-2 (and XK, AC, TA), or one of our X codes for non-geographic numbering. */
export const countryCode = z.string().regex(/^[A-Z]{2}$/);

/** UTC, ISO 8601 with milliseconds. */
export const instant = z.string().datetime();

/** UUIDv7. */
export const id = z.uuid();

/** Position in a list, opaque to the client. */
export const cursor = z.string().max(200);

const AMOUNT_UNREADABLE = reason("amount_unreadable");

const amountError = (issue: { readonly input?: unknown }) =>
  issue.input === undefined ? reason("amount_needed") : AMOUNT_UNREADABLE;

/**
 * Every amount of money in a request: dollars as a number or decimal string, at most two decimals (`parseDollars`). Parsed as
 * micro-dollars; the route decides the bounds.
 */
export const typedDollars = z.union([z.number(), z.string()], { error: amountError }).transform((typed, context) => {
  const micros = parseDollars(typed);
  if (micros === null) context.addIssue(AMOUNT_UNREADABLE);
  return micros ?? z.NEVER;
});

/** An amount that the service showed and a request repeats, with up to six decimals, parsed as micro-dollars. */
export const shownDollars = z
  .string({ error: amountError })
  .regex(/^\d{1,13}\.\d{2,6}$/, AMOUNT_UNREADABLE)
  .transform(fromDecimalString);
