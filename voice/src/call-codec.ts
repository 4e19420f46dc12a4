/** What a call's sound is carried in, the same towards the browser and the trunk. G.711 is PCMU or PCMA: one is easily made of the other. */
export type CallCodec = "g711" | "opus";
