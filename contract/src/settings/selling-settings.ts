import type { Setting } from "./setting.ts";
import { addressLines, bonus, budget, line, optional, or, percent } from "./value-kinds.ts";

export const selling = {
  SELLER_NAME: {
    ...optional(line(120)),
    default: "a sample",
    says: "Who sells the credit, on receipts, public pages and beside the button that pays.",
    readers: ["service"],
    production: "Required.",
  },
  SELLER_ADDRESS: {
    ...optional(addressLines),
    default: "a sample",
    says: "The seller's address, in the same places.",
    readers: ["service"],
    production: "Required.",
  },
  SELLER_LAW: {
    ...optional(line(120)),
    default: "a sample",
    says: "The law that governs the terms, such as `England and Wales`.",
    readers: ["service"],
    production: "Required.",
  },
  SELLER_TAX_ID: { ...optional(line(60)), default: "none", says: "The seller's tax number, on receipts.", readers: ["service"] },
  TAX_PERCENT: {
    ...optional(percent),
    default: "none stated",
    unit: "percent",
    says: "Tax contained in every price, such as `19` or `8.875`; receipts state it.",
    readers: ["service"],
  },
  TAX_NOTE: { ...optional(line(300)), default: "none", says: "A sentence about tax for every receipt.", readers: ["service"] },
  FIRST_CALL_BONUS: {
    ...optional(bonus),
    default: "0.25 in the sandbox, 0 when live",
    unit: "US dollars",
    says: "Credit for the first call of each customer who confirms an address.",
    readers: ["service"],
  },
  REFERRAL_BONUS: {
    ...optional(bonus),
    default: "2 in the sandbox, 0 when live",
    unit: "US dollars",
    says: "Credit for both sides of an invitation.",
    readers: ["service"],
  },
  GIFTS_PER_DAY: {
    ...or(budget, "200"),
    unit: "US dollars",
    says:
      "The most free credit of a day, for all customers together: first calls, invitations and promo codes. A tenth of it may go to " +
      "one network.",
    readers: ["service", "cli"],
  },
} as const satisfies Record<string, Setting>;
