import { freezeReasons } from "@farline/contract/constants.ts";
import { receiptKind } from "@farline/contract/billing-documents.ts";
import { accountEvents, noticeEvents, paymentFailures, type MailContent, type MailHome } from "../src/mail/mail-content.ts";

/** For tests: one mail of each kind, event and reason. */

export const linkId = "6f9619ff-8b86-4d01-b42d-00cf4fc964ff";
export const mailHome: MailHome = {
  publicUrl: "https://farline.example",
  secretKeys: [{ id: "1", secret: Buffer.alloc(32, 7) }],
  supportEmail: "help@farline.example",
  promotions: { firstCallMicros: 250_000n },
};
export const name = "Ada";
export const newEmail = "new@example.com";
export const at = "2026-03-01T12:00:00.000Z";
export const receipt = {
  name,
  receiptId: linkId,
  number: "2026-000042",
  amount: "20.00",
  bonus: "1.00",
  credited: "21.00",
  tax: { percent: "8.875", amount: "1.63" },
  card: "Visa •••• 4242",
  at,
  seller: ["Example Calls Ltd", "1 Main Road", "DE123"],
  taxNote: "Tax is included.",
  sample: false,
};

export const everyMail: readonly MailContent[] = [
  { template: "verify_email", data: { name, linkId } },
  { template: "reset_password", data: { name, linkId } },
  { template: "change_email_new", data: { name, newEmail, linkId } },
  { template: "change_email_old", data: { name, newEmail, linkId } },
  { template: "export_ready", data: { name, linkId } },
  { template: "account_closing", data: { name, at } },
  { template: "account_erased", data: { name } },
  { template: "newsletter_confirm", data: { linkId } },
  { template: "newsletter_welcome", data: { linkId } },
  ...noticeEvents.map((event) => ({
    template: "security_notice" as const,
    data: { name, event, at, device: "Chrome on Windows" },
  })),
  ...receiptKind.options.map((kind) => ({ template: "receipt" as const, data: { ...receipt, kind } })),
  { template: "receipt", data: { ...receipt, kind: "payment", bonus: null, credited: null, forOther: true } },
  ...paymentFailures.map((event) => ({ template: "payment_failed" as const, data: { name, event, amount: "20.00" } })),
  { template: "credit_received", data: { name, from: "Kofi", amount: "20.00", greeting: "For your birthday" } },
  {
    template: "reminder",
    data: { name, contact: "Mama", time: "18:00", countryCode: "GH", timeZone: "Africa/Accra", linkId },
  },
  { template: "case_received", data: { name, number: "1001", topic: "charge" } },
  { template: "case_answered", data: { name, number: "1001", answer: "Dear Ada,\n\nthe call lasted 61 s.\nThat is two steps." } },
  { template: "family_invitation", data: { owner: name, linkId } },
  ...accountEvents.map((event) => ({ template: "account_notice" as const, data: { name, event } })),
  ...freezeReasons.map((because) => ({ template: "account_locked" as const, data: { name, because } })),
];
