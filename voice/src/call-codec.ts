/** The codec of a call, the same on the browser's leg and the trunk's. `g711` is PCMU or PCMA, which convert to each other by a table. */
export type CallCodec = "g711" | "opus";
