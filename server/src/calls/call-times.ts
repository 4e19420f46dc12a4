/** How long a ticket is good, from the answer that carries it. */
export const TICKET_LIFE_SECONDS = 60;
/** How long the called phone may ring. */
export const RING_LIMIT_SECONDS = 60;
/** A call may be seen this much after its limit before the service ends it: the provider's own limit comes first. */
export const LIMIT_GRACE_SECONDS = 5;

/** How often one customer may ask, multiplied by the configured scale. */
export const TOKENS_PER_MINUTE = 10;
export const QUOTES_PER_MINUTE = 60;
export const ECHO_TESTS_PER_HOUR = 10;
export const EXTENSIONS_PER_MINUTE = 20;
