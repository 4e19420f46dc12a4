import { randomBytes } from "node:crypto";

const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** The prefix and `length` unguessable letters and digits. */
export function newId(prefix: string, length = 24): string {
  let id = prefix;
  while (id.length < prefix.length + length)
    for (const byte of randomBytes(length)) if (byte < 248 && id.length < prefix.length + length) id += ALPHABET[byte % 62];
  return id;
}

const KINDS: readonly (readonly [prefix: string, type: string])[] = [
  ["cs_test_", "checkout.session"],
  ["pi_", "payment_intent"],
  ["seti_", "setup_intent"],
  ["setatt_", "setup_attempt"],
  ["ch_", "charge"],
  ["re_", "refund"],
  ["du_", "dispute"],
  ["issfr_", "radar.early_fraud_warning"],
  ["txn_", "balance_transaction"],
  ["cus_", "customer"],
  ["pm_", "payment_method"],
  ["prod_", "product"],
  ["price_", "price"],
  ["evt_", "event"],
];

/** The object type that an id's prefix stands for; null if unknown. */
export function kindOf(id: string): string | null {
  return KINDS.find(([prefix]) => id.startsWith(prefix))?.[1] ?? null;
}
