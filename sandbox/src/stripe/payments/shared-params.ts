import { z } from "zod";
import { integer } from "../api/stripe-error.ts";

const MIN_CENTS = 50;
export const MAX_CENTS = 99_999_999;

/** Accepted without effect. */
export const accepted = z.unknown().optional();

export const webAddress = z
  .string()
  .max(5000)
  .regex(/^https?:\/\/[^\s]+$/, "not a valid URL");

export const currency = z
  .string()
  .regex(/^[a-z]{3}$/i, "must be a three-letter code")
  .transform((code) => code.toLowerCase());

/** In the currency's smallest unit. */
export const amountInCents = integer.refine(
  (amount) => amount >= MIN_CENTS && amount <= MAX_CENTS,
  `must be between ${MIN_CENTS} and ${MAX_CENTS}`,
);

export const cardTypes = z.array(z.enum(["card"], "this sandbox knows only `card`"));

/** Stored and returned without further effect. */
export const shippingParams = z.strictObject({
  name: z.string().max(200).optional(),
  phone: z.string().max(20).optional(),
  address: z
    .strictObject({
      city: z.string().max(200).nullable().default(null),
      country: z.string().max(2).nullable().default(null),
      line1: z.string().max(200).nullable().default(null),
      line2: z.string().max(200).nullable().default(null),
      postal_code: z.string().max(20).nullable().default(null),
      state: z.string().max(200).nullable().default(null),
    })
    .optional(),
});
