/** The refusal of a gift for what somebody has in common with another customer; of two, the first is said. */
export const SHARED = { mailbox: "same_address", browser: "same_browser", network: "same_network" } as const;

export type SharedKind = keyof typeof SHARED;
