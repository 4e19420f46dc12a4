/** Where a socket is bound, and the address that we announce. They differ behind 1:1 NAT. */
export interface Address {
  readonly bound: string;
  readonly announced: string;
}
