/** Where a socket is bound, and what the other side is told: they differ behind a network address translation (1:1 NAT). */
export interface Address {
  readonly bound: string;
  readonly announced: string;
}
