/** The refusal of free credit by what a customer shares with another. The first match counts. */
export const SHARED = { mailbox: "same_address", browser: "same_browser", network: "same_network" } as const;

export type SharedKind = keyof typeof SHARED;
