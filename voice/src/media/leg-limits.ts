/** After this long without packets a side is reported silent. */
export const DEFAULT_SILENCE_MS = 5_000;
/** The browser must answer our offer and connect within this time. */
export const OFFER_LIFE_MS = 20_000;
/** A browser reconnects when its page or network changes. More offers in one call are abuse. */
export const MAX_OFFERS = 100;
