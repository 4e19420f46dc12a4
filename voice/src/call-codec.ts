/** A call's codec, the same on both legs. `g711` is PCMU or PCMA, which we convert. */
export type CallCodec = "g711" | "opus";
