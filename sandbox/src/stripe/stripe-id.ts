import { randomBytes } from "node:crypto";

const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** `length` unguessable letters and digits after the prefix. */
export function newId(prefix: string, length = 24): string {
  let id = prefix;
  while (id.length < prefix.length + length)
    for (const byte of randomBytes(length)) if (byte < 248 && id.length < prefix.length + length) id += ALPHABET[byte % 62];
  return id;
}

/** What an id's prefix says about the object; null for a foreign id. */
export function kindOf(id: string): string | null {
  const kinds: readonly (readonly [RegExp, string])[] = [
    [/^cs_test_/, "checkout.session"],
    [/^pi_/, "payment_intent"],
    [/^ch_/, "charge"],
    [/^re_/, "refund"],
    [/^cus_/, "customer"],
    [/^pm_/, "payment_method"],
    [/^evt_/, "event"],
  ];
  return kinds.find(([pattern]) => pattern.test(id))?.[1] ?? null;
}
