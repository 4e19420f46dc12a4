import { readSetting, writeSetting } from "./setting.ts";

/** A number, or a country alone, that a visitor entered on a public page. */
export interface CarriedNumber {
  /** As typed; "" for a country alone. */
  readonly number: string;
  /** ISO code; null if none was chosen. */
  readonly country: string | null;
}

const KEY = "carried-number";
/** Long enough to sign up and to confirm the address by mail. */
const MAX_AGE_MS = 2 * 60 * 60_000;
const NUMBER = /^[\d+*#\s().-]{0,40}$/;
const COUNTRY = /^[A-Z]{2}$/;

/** Stores it for the dialer, through sign-up in this browser. Only a press on our own pages does this; a link cannot. */
export function carryNumber(carried: CarriedNumber): void {
  writeSetting(KEY, JSON.stringify({ ...carried, at: Date.now() }));
}

export function forgetCarriedNumber(): void {
  writeSetting(KEY, null);
}

/** Reads it once; null if missing or expired. It only fills the number field and is never dialled. */
export function takeCarriedNumber(): CarriedNumber | null {
  const text = readSetting(KEY);
  if (text === null) return null;
  forgetCarriedNumber();
  try {
    const { number, country, at } = JSON.parse(text) as Partial<Record<keyof CarriedNumber | "at", unknown>>;
    const age = typeof at === "number" ? Date.now() - at : -1;
    if (age < 0 || age > MAX_AGE_MS || typeof number !== "string" || !NUMBER.test(number)) return null;
    return { number: number.trim(), country: typeof country === "string" && COUNTRY.test(country) ? country : null };
  } catch {
    return null;
  }
}
