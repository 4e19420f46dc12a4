/** Where a socket is bound, and the address that we announce. They differ behind 1:1 NAT. */
export interface Address {
  readonly bound: string;
  readonly announced: string;
  /** Browsers are told the machine's address in its network as well, whatever it is at the time. */
  readonly announcesOwn?: boolean;
}
