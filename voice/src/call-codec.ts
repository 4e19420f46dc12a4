/** What a call's browser sends. A far end may answer an Opus call in G.711 (PCMU or PCMA), and we convert. */
export type CallCodec = "g711" | "opus";
