import type { Setting } from "./setting.ts";
import { count, addressLines, bonus, budget, cardBrandList, line, openingHours, optional, or, percent } from "./value-kinds.ts";

export const selling = {
  SELLER_NAME: {
    ...optional(line(120)),
    default: "a sample",
    description: "Who sells the credit, on receipts, public pages and beside the button that pays.",
    readers: ["service"],
    production: "Required.",
  },
  SELLER_ADDRESS: {
    ...optional(addressLines),
    default: "a sample",
    description: "The seller's address, in the same places.",
    readers: ["service"],
    production: "Required.",
  },
  SELLER_LAW: {
    ...optional(line(120)),
    default: "a sample",
    description: "The law that governs the terms, such as `England and Wales`.",
    readers: ["service"],
    production: "Required.",
  },
  SELLER_TAX_ID: {
    ...optional(line(60)),
    default: "none",
    description: "The seller's tax number, on receipts.",
    readers: ["service"],
  },
  SELLER_REGISTRATION: {
    ...optional(line(120)),
    default: "none",
    description:
      "The register and number of the seller's business, such as `Companies House 01234567`, on public pages and beside the button that pays.",
    readers: ["service"],
    production: "The start warns without it.",
  },
  SUPPORT_HOURS: {
    ...optional(openingHours),
    default: "none",
    description: "When people answer, such as `mon-fri 09:00-18:00, sat 10:00-14:00 Europe/London`; shown with `SUPPORT_EMAIL`.",
    readers: ["service"],
    production: "The start warns without it.",
  },
  CARD_BRANDS: {
    ...or(cardBrandList, "visa mastercard amex"),
    description: "The card brands that public pages and the page of payment name. What is accepted is set at Stripe.",
    readers: ["service"],
  },
  RECEIPT_SERIES: {
    ...or(count(0, 9), "0"),
    description:
      "The series of this service's receipt numbers: with 3, they are `2026-300000001` and so on. Numbers have no gaps within a series; services with their own need not wait for each other.",
    readers: ["service"],
  },
  TAX_PERCENT: {
    ...optional(percent),
    default: "none stated",
    unit: "percent",
    description: "Tax contained in every price, such as `19` or `8.875`; receipts state it.",
    readers: ["service"],
  },
  TAX_NOTE: {
    ...optional(line(300)),
    default: "none",
    description: "A sentence about tax for every receipt.",
    readers: ["service"],
  },
  FIRST_CALL_BONUS: {
    ...optional(bonus),
    default: "0.25 in the sandbox, 0 when live",
    unit: "US dollars",
    description: "Credit for the first call of each customer who confirms an address.",
    readers: ["service"],
  },
  REFERRAL_BONUS: {
    ...optional(bonus),
    default: "2 in the sandbox, 0 when live",
    unit: "US dollars",
    description: "Credit for both sides of an invitation.",
    readers: ["service"],
  },
  FREE_CREDIT_PER_DAY: {
    ...or(budget, "200"),
    unit: "US dollars",
    description:
      "The most free credit of a day, for all customers together: first calls, invitations and promo codes. A tenth of it may go to " +
      "one network.",
    readers: ["service", "cli"],
  },
} as const satisfies Record<string, Setting>;
