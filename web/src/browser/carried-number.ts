import { asciiDigits } from "@farline/domain/ascii-digits.ts";
import { deviceStamp, isRecent } from "../time/clock.ts";
import { readSetting, writeSetting } from "./storage.ts";

/** A number, or a country alone, that a visitor entered on a public page, or that a customer left in the dialer. */
interface CarriedNumber {
  /** As typed; "" for a country alone. */
  readonly number: string;
  /** ISO code; null if none was chosen. */
  readonly country: string | null;
}

const KEY = "carried-number";
/** Long enough to sign up and to confirm the address by mail. */
const MAX_AGE_MS = 2 * 60 * 60_000;
const NUMBER = /^[\d+*#\s()./,;-]{0,100}$/;
const COUNTRY = /^[A-Z]{2}$/;

/**
 * Stores it for the dialer, through sign-up or a payment in this browser. Only our own pages do this; a link cannot.
 * @param customerId whose it is; default: the next customer's
 */
export function carryNumber({ number, country }: CarriedNumber, customerId: string | null = null): void {
  writeSetting(KEY, JSON.stringify({ number: asciiDigits(number), country, customerId, at: deviceStamp() }));
}

export function forgetCarriedNumber(): void {
  writeSetting(KEY, null);
}

/**
 * Null if missing, expired or another customer's. It stays for other tabs, such as the one that a mail's link opens, until it is called
 * or cleared. It only fills the number field and is never dialled.
 * @param customer whose page reads it; null before the sign-up
 */
export function readCarriedNumber(customer: string | null): CarriedNumber | null {
  const text = readSetting(KEY);
  const carried = text === null ? null : parse(text, customer);
  if (carried === null) forgetCarriedNumber();
  return carried;
}

function parse(text: string, customer: string | null): CarriedNumber | null {
  try {
    const { number, country, customerId, at } = JSON.parse(text) as Readonly<Record<string, unknown>>;
    if (!isRecent(at, MAX_AGE_MS) || (customerId ?? customer) !== customer) return null;
    if (typeof number !== "string" || !NUMBER.test(number)) return null;
    return { number: number.trim(), country: typeof country === "string" && COUNTRY.test(country) ? country : null };
  } catch {
    return null;
  }
}
