import type { Address } from "../src/address.ts";

export const LOOPBACK: Address = { bound: "127.0.0.1", announced: "127.0.0.1" };
