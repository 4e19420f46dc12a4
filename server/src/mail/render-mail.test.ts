import { freezeReasons } from "@farline/contract/constants.ts";
import { clocksOf } from "@farline/domain/countries/clocks.ts";
import { countries } from "@farline/domain/countries/countries.ts";
import type { Language } from "@farline/contract/languages.ts";
import { languages } from "@farline/domain/languages.ts";
import { catalogue } from "@farline/texts/catalogue.ts";
import { fc, test as property } from "@fast-check/vitest";
import { receiptKind } from "@farline/contract/billing-documents.ts";
import { expect, test } from "vitest";
import { accountEvents, paymentFailures, mailContent, noticeEvents, type MailContent, type MailHome } from "./mail-content.ts";
import { renderMail } from "./render-mail.ts";

const linkId = "6f9619ff-8b86-4d01-b42d-00cf4fc964ff";
const home: MailHome = {
  publicUrl: "https://farline.example",
  secretKeys: [{ id: "1", secret: Buffer.alloc(32, 7) }],
  supportEmail: "help@farline.example",
  promotions: { firstCallMicros: 250_000n },
};
const name = "Ada";
const newEmail = "new@example.com";
const at = "2026-03-01T12:00:00.000Z";
const receipt = {
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

const everyMail: readonly MailContent[] = [
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

test("these tests cover every kind of mail", () => {
  const known = mailContent.options.map((option) => option.shape.template.value);
  expect(new Set(everyMail.map((mail) => mail.template))).toEqual(new Set(known));
});

test.each(languages)("every mail in %s has a subject, one link in both parts, and no unfilled placeholder", (language) => {
  for (const content of everyMail) {
    const mail = renderMail(content, language, home);
    expect(mail.subject.length).toBeGreaterThan(5);
    expect(mail.subject).not.toMatch(/[{}]/);
    expect(mail.text + mail.html.replace(/<style>[\s\S]*<\/style>/, "")).not.toMatch(/[{}]|undefined|null/);
    const [inText] = /https:\S+/.exec(mail.text) ?? [];
    const inHtml = [...mail.html.matchAll(/href="([^"]+)"/g)].map((match) => match[1]);
    expect(new Set(inHtml)).toEqual(new Set([inText]));
    expect(mail.html).not.toMatch(/<script|<img|<link|url\(/);
  }
});

const shapeOf = (value: unknown): unknown =>
  typeof value === "object" && value !== null
    ? Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, shapeOf(inner)]))
    : Array.from(String(value).matchAll(/\{\{(\w+)/g), ([, name]) => name);

test.each(languages.filter((one) => one !== "en"))(
  "the texts in %s fill in what the English ones do, and are not English",
  (language) => {
    const [texts, en] = [catalogue(language, "mail"), catalogue("en", "mail")];
    expect(shapeOf(texts)).toEqual(shapeOf(en));
    expect(texts.links.verify_email.subject).not.toBe(en.links.verify_email.subject);
  },
);

test("a country has its article in an English sentence", () => {
  const reminder = everyMail.find(({ template }) => template === "reminder") as Extract<MailContent, { template: "reminder" }>;
  const inCountry = (countryCode: string, language: Language) =>
    renderMail({ ...reminder, data: { ...reminder.data, countryCode } }, language, home).text;
  expect(inCountry("PH", "en")).toContain("in the Philippines: time to call");
  expect(inCountry("GH", "en")).toContain("in Ghana: time to call");
  expect(inCountry("PH", "es")).toContain("(Filipinas)");
});

test.each([
  ["en", "AU", "Australia/Perth", "in Perth: time to call"],
  ["en", "PT", "Atlantic/Azores", "in the Azores: time to call"],
  ["es", "RU", "Asia/Vladivostok", "(Vladivostok)"],
  ["fr", "CA", "America/St_Johns", "(Saint-Jean de Terre-Neuve)"],
  ["hi", "US", "Pacific/Honolulu", "(होनोलुलु)"],
  ["ar", "US", "America/Los_Angeles", "\u2068لوس أنجلوس\u2069"],
] as const)("in %s, a reminder in %s names the city of the clock %s", (language, countryCode, timeZone, words) => {
  const data = { name, contact: "Mama", time: "18:00", countryCode, timeZone, linkId };
  expect(renderMail({ template: "reminder", data }, language, home).text).toContain(words);
});

test("every clock of a country with several has its city's name in each language", () => {
  const clocks = new Set(countries.map(({ iso2 }) => clocksOf(iso2)).flatMap((zones) => (zones.length > 1 ? zones : [])));
  for (const language of languages) expect(new Set(Object.keys(catalogue(language, "places")))).toEqual(clocks);
});

test("a notice gives its time in the reader's language, in UTC", () => {
  const notice = everyMail.find((mail) => mail.template === "security_notice") as MailContent;
  expect(renderMail(notice, "en", home).text).toContain("March 1, 2026 at 12:00 PM UTC");
  expect(renderMail(notice, "fr", home).text).toContain("1 mars 2026 à 12:00 UTC");
});

test("every mail gives the support address, receipts total the credit, and confirmation mails mention the free first call", () => {
  for (const content of everyMail) {
    const { text, html } = renderMail(content, "en", home);
    for (const part of [text, html]) expect(part).toContain("Questions? Write to help@farline.example.");
    expect(text.includes("Your first call is then free, up to $0.25.")).toBe(content.template === "verify_email");
  }
  const paid = everyMail.find((mail) => mail.template === "receipt") as MailContent;
  expect(renderMail(paid, "en", home).text).toContain("Credit received: $21.00");
  const none = renderMail(everyMail[0] as MailContent, "en", { ...home, promotions: { firstCallMicros: 0n } });
  expect(none.text).not.toContain("free");
});

test("an address in Arabic text is isolated from its direction", () => {
  const mail = renderMail({ template: "change_email_new", data: { name, newEmail, linkId } }, "ar", home);
  expect(mail.text).toContain(`\u2068${newEmail}\u2069`);
});

test.each([
  "Ada Lovelace",
  "José-María O'Neill",
  "Ngũgĩ wa Thiong’o",
  "محمد",
  "प्रिया",
  "Dr. Mary St. John",
  "J.P.",
  "Kwame & Efua",
])("the name %s is used", (person) => {
  expect(renderMail({ template: "verify_email", data: { name: person, linkId } }, "en", home).text).toContain(`Hello ${person},`);
});

test.each([
  ["Mum ❤️", "Mum ❤️"],
  ["Dr. Osei", "Dr. Osei"],
  ["Ama (work)", "Ama (work)"],
  ["Ben evil.com", "Ben evil. com"],
  ["+44 20 7946 0018", "your contact"],
])("a reminder of the contact %s names %s", (contact, shown) => {
  const reminder = everyMail.find(({ template }) => template === "reminder") as Extract<MailContent, { template: "reminder" }>;
  const mail = renderMail({ ...reminder, data: { ...reminder.data, contact } }, "en", home);
  expect(mail.text).toContain(`time to call ${shown}.`);
});

test.each([
  ["Dr. Mary St. John", "Dr. Mary St. John"],
  ["Kwame & Efua ❤️", "Kwame & Efua ❤️"],
  ["evil.com", "Somebody"],
])("an invitation by %s is from %s", (owner, shown) => {
  const mail = renderMail({ template: "family_invitation", data: { owner, linkId } }, "en", home);
  expect(mail.subject).toContain(`${shown} invites you`);
});

test.each(["Visit evil.example", "http://evil", "You won! Call +1 900", "evil/path"])(
  "the name %s, which may be a message to a stranger, is not repeated",
  (person) => {
    const mail = renderMail({ template: "verify_email", data: { name: person, linkId } }, "en", home);
    expect(mail.text).toContain("Hello,");
    expect(mail.text + mail.html).not.toContain(person);
  },
);

property.prop([fc.string({ maxLength: 40 }), fc.string({ minLength: 1, maxLength: 80 })])(
  "nothing a person can type becomes HTML",
  (person, device) => {
    const notice = { template: "security_notice" as const, data: { name: person, event: "passkey_added" as const, at, device } };
    const plain = { ...notice, data: { ...notice.data, name: "Ada", device: "x" } };
    const tags = (content: MailContent) => renderMail(content, "en", home).html.match(/<[^>]*>/g);
    expect(tags(notice)).toEqual(tags(plain));
  },
);

test("a receipt's mail has all of the receipt's content and links to its page", () => {
  const mail = renderMail({ template: "receipt", data: { ...receipt, kind: "payment" } }, "en", home);
  expect(mail.subject).toBe("Your receipt 2026-000042");
  for (const part of [
    "$20.00",
    "$1.63 (8.875 %)",
    "$1.00",
    "Visa •••• 4242",
    "Example Calls Ltd, 1 Main Road, DE123",
    "1 March 2026",
  ])
    expect(mail.text.replace("March 1, 2026", "1 March 2026")).toContain(part);
  expect(mail.text).toContain(`https://farline.example/billing/receipts/${linkId}`);
  expect(mail.text).not.toContain("sandbox");
});

test("mails format amounts for their language and name the currency", () => {
  const text = (language: Language) =>
    renderMail({ template: "receipt", data: { ...receipt, kind: "payment" } }, language, home).text;
  expect(text("fr")).toContain("20,00\u00a0$US");
  expect(text("hi")).toContain("$20.00");
  expect(text("ar")).toContain("20.00\u00a0\u2066US$\u2069");
});
