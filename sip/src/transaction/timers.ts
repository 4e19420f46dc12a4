/** RFC 3261 table 4, in milliseconds. */
export const T1_MS = 500;
export const T2_MS = 4_000;
export const T4_MS = 5_000;
/** Timers B, F, H and J, and of RFC 6026 timers L and M. */
export const GIVE_UP_MS = 64 * T1_MS;
/** Timer D over unreliable transports. */
export const TIMER_D_MS = 32_000;
/** A server transaction sends 100 if its user has not responded by then (§17.2.1). */
export const TRYING_MS = 200;
