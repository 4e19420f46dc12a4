import { forgetAll, readSetting, writeSetting } from "./storage.ts";

/** Prefix of everything that belongs to one customer. */
const PREFIX = "own:";

/** Storage key of a customer's own data, which is removed when they log out. */
export function ownKey(customerId: string, name: string): string {
  return `${PREFIX}${customerId}:${name}`;
}

/** What this browser stores for one customer under `name`; null if nothing. */
export function readOwn(customerId: string, name: string): string | null {
  return readSetting(ownKey(customerId, name));
}

/** Stores `value` for one customer until they log out; null removes it. */
export function writeOwn(customerId: string, name: string, value: string | null): void {
  writeSetting(ownKey(customerId, name), value);
}

/** Removes everything the customer stored in this browser and tab. Call it at logout, because the next user may be another one. */
export function forgetOwn(): void {
  forgetAll(PREFIX);
}

const COUNTRY = "country";

/** The country that a customer last chose in the number field of this browser, an ISO code; null if none. */
export function readLastCountry(customerId: string | null): string | null {
  return customerId === null ? null : readOwn(customerId, COUNTRY);
}

export function keepLastCountry(customerId: string | null, countryCode: string): void {
  if (customerId !== null) writeOwn(customerId, COUNTRY, countryCode);
}
