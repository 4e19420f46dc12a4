/** SIP timers on UDP (RFC 3261 §17, table 4). Tests shorten them. */
export interface SipTimers {
  t1Ms: number;
  t2Ms: number;
}

export const standardTimers: SipTimers = { t1Ms: 500, t2Ms: 4000 };

/** How long a sender retransmits, and how long a finished transaction is kept: timers B, F, H, J and L. */
export function transactionTimeoutMs(timers: SipTimers): number {
  return 64 * timers.t1Ms;
}

/**
 * Sends now and again after T1, doubling the interval up to T2, until stopped. After 64·T1 it calls `onTimeout` once.
 * @returns an idempotent function that stops it
 */
export function retransmit(timers: SipTimers, send: () => void, onTimeout: () => void): () => void {
  let intervalMs = timers.t1Ms;
  let timer: NodeJS.Timeout;
  const again = () => {
    send();
    intervalMs = Math.min(2 * intervalMs, timers.t2Ms);
    timer = setTimeout(again, intervalMs);
  };
  send();
  timer = setTimeout(again, intervalMs);
  const timeout = setTimeout(() => {
    clearTimeout(timer);
    onTimeout();
  }, transactionTimeoutMs(timers));
  return () => {
    clearTimeout(timer);
    clearTimeout(timeout);
  };
}
