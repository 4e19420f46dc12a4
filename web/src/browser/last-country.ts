import { readOwn, writeOwn } from "./own-storage.ts";

const STORE = "country";

/** The country that a customer last chose in the number field of this browser, an ISO code; null if none. */
export function readLastCountry(customerId: string | null): string | null {
  return customerId === null ? null : readOwn(customerId, STORE);
}

export function keepLastCountry(customerId: string | null, countryCode: string): void {
  if (customerId !== null) writeOwn(customerId, STORE, countryCode);
}
