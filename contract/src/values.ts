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
