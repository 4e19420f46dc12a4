/** SIP's timers on UDP (RFC 3261 §17, table 4). `t1Ms` is 500 by the standard; tests shorten it. */
export interface SipTimers {
  t1Ms: number;
  t2Ms: number;
}

export const standardTimers: SipTimers = { t1Ms: 500, t2Ms: 4000 };

/** How long a sender retransmits, and how long a finished transaction is remembered: timers B, F, H, J, L. */
export function patienceMs(timers: SipTimers): number {
  return 64 * timers.t1Ms;
}

/**
 * Sends at once, then after T1, doubling up to T2, until stopped or until 64·T1 have passed; then `onGiveUp` is called once.
 * @returns a function that stops it; stopping twice is harmless.
 */
export function sendUntilStopped(timers: SipTimers, send: () => void, onGiveUp: () => void): () => void {
  let intervalMs = timers.t1Ms;
  let timer: NodeJS.Timeout;
  const again = () => {
    send();
    intervalMs = Math.min(2 * intervalMs, timers.t2Ms);
    timer = setTimeout(again, intervalMs);
  };
  send();
  timer = setTimeout(again, intervalMs);
  const giveUp = setTimeout(() => {
    clearTimeout(timer);
    onGiveUp();
  }, patienceMs(timers));
  return () => {
    clearTimeout(timer);
    clearTimeout(giveUp);
  };
}
