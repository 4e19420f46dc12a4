export interface StreamTimes {
  readonly connectWithinMs: number;
  /** RFC 5626 §4.4.1. */
  readonly pingEveryMs: number;
  /** Where a ping must be answered (RFC 5626 §4.4.1). */
  readonly pongWithinMs: number;
  /** A connection from a peer is closed unless the peer has sent something within this time. */
  readonly speaksWithinMs: number;
  /** From the first byte of a message to its last. */
  readonly messageWithinMs: number;
  /** A connection that is not kept open is closed when nothing was sent or received for this long. */
  readonly idleMs: number;
  /** Back-off of a connection that is kept open; it doubles with each failure. */
  readonly firstRetryMs: number;
  readonly maxRetryMs: number;
}

export const DEFAULT_TIMES: StreamTimes = {
  connectWithinMs: 4_000,
  pingEveryMs: 30_000,
  pongWithinMs: 10_000,
  speaksWithinMs: 10_000,
  messageWithinMs: 10_000,
  idleMs: 1_800_000,
  firstRetryMs: 1_000,
  maxRetryMs: 30_000,
};
