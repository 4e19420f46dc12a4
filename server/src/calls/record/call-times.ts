/** Validity of a ticket from its issue. */
export const TICKET_LIFE_SECONDS = 60;
/** How long the called phone may ring. */
export const RING_LIMIT_SECONDS = 60;
/** Grace after a call's limit before the service ends it, so that the provider's own limit acts first. */
export const LIMIT_GRACE_SECONDS = 5;

/** Request limits per customer, multiplied by the configured scale. */
export const TOKENS_PER_MINUTE = 10;
/** Three times the highest tier's limit of calls per minute. */
export const CALL_REQUESTS_PER_MINUTE = 30;
export const QUOTES_PER_MINUTE = 60;
export const ECHO_TESTS_PER_HOUR = 10;
export const EXTENSIONS_PER_MINUTE = 20;
export const MOVES_PER_MINUTE = 20;
