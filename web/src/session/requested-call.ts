import type { ContactNumber } from "@farline/contract/contacts.ts";

/** The price beside a name, at which a press calls it. */
export type ShownPrice = Pick<ContactNumber, "first_interval_s" | "next_interval_s"> & { readonly rate_per_minute: string };

/** A call requested with one press outside the dialer. */
interface RequestedCall {
  /** E.164, an extension behind it. */
  readonly number: string;
  readonly name: string;
  readonly shown: ShownPrice;
}

/** If the dialer opens later than this, the caller no longer expects a call. */
const EXPIRES_AFTER_MS = 10_000;

/** Only in memory, so that neither a link nor a reload can start a call. */
let requested: { readonly call: RequestedCall; readonly atMs: number } | null = null;

/** Stores the call for the dialer, which the page opens next. */
export function requestCall(call: RequestedCall): void {
  requested = { call, atMs: performance.now() };
}

/** Reads it once; null without one. */
export function takeRequestedCall(): RequestedCall | null {
  const taken = requested;
  requested = null;
  return taken === null || performance.now() - taken.atMs > EXPIRES_AFTER_MS ? null : taken.call;
}

/** The dialer with a number (E.164, an extension behind it) filled in, and its owner's name. */
export function dialerAddress(number: string, name: string | null): string {
  return `/dialer?${new URLSearchParams({ number, ...(name === null ? {} : { name }) })}`;
}

/** The form for a new contact with a number filled in. */
export function newContactAddress(e164: string): string {
  return `/contacts?${new URLSearchParams({ add: e164 })}`;
}
