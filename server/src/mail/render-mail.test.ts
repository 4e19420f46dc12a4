import { clocksOf } from "@farline/domain/countries/clocks.ts";
import { countries } from "@farline/domain/countries/countries.ts";
import type { Language } from "@farline/contract/languages.ts";
import { withoutIsolates } from "@farline/domain/text/text-direction.ts";
import { languages, writing } from "@farline/domain/languages.ts";
import { catalogue } from "@farline/texts/catalogue.ts";
import { UNKNOWN_DEVICE } from "@farline/texts/device-message.ts";
import { fc, test as property } from "@fast-check/vitest";
import { expect, test } from "vitest";
import { mailContent, type MailContent } from "./mail-content.ts";
import { at, everyMail, linkId, mailHome as home, name, newEmail, receipt } from "../../test/every-mail.ts";
import { renderMail } from "./render-mail.ts";

test("these tests cover every kind of mail", () => {
  const known = mailContent.options.map((option) => option.shape.template.value);
  expect(new Set(everyMail.map((mail) => mail.template))).toEqual(new Set(known));
});

const ENTITIES: Readonly<Record<string, string>> = { "&amp;": "&", "&lt;": "<", "&gt;": ">", "&quot;": '"', "&#39;": "'" };
const hrefs = (html: string) => [...html.matchAll(/href="([^"]+)"/g)].map(([, url]) => url);

test.each(languages)("every mail in %s is whole in both parts, with the same links", (language) => {
  const { direction } = writing[language];
  for (const content of everyMail) {
    const mail = renderMail(content, language, home);
    expect(mail.subject).toMatch(/^[^{}\r\n]{6,78}$/);
    expect(mail.text + mail.html.replace(/<style>[\s\S]*<\/style>/, "")).not.toMatch(/[{}]|undefined|null|NaN/);
    expect(mail.text).not.toMatch(/\n{3}|^\s|[^-] \n|\n\n$/);
    expect(mail.html).not.toMatch(/<p[^>]*>\s*<\/p>|<script|<img|<link|url\(/);
    expect(mail.html).toContain(`<html lang="${language}" dir="${direction}">`);
    expect(new Set(hrefs(mail.html))).toEqual(new Set(mail.text.match(/https:[^\s\u2068\u2069]+/g)));
    const read = mail.html.replace(/&(?:amp|lt|gt|quot|#39);/g, (entity) => ENTITIES[entity] ?? entity);
    const words = mail.text
      .replace("-- \n", "")
      .split("\n")
      .filter((line) => !line.startsWith("https:"));
    for (const line of words) expect(read).toContain(line.replace(/:$/, ""));
    // Each address stands alone on its line, where no program takes a neighbour for a part of it.
    for (const url of hrefs(mail.html)) expect(mail.text.split("\n")).toContain(url);
    if (direction === "rtl") expect(mail.html).toMatch(/align="right"/);
  }
});

test("an inbox shows what a mail says after its subject, not the sign and the subject again", () => {
  for (const content of everyMail) {
    const { html, text } = renderMail(content, "en", home);
    const words = html.slice(html.indexOf("<body")).replace(/<[^>]*>/g, " ");
    const read = words.replace(/&(?:amp|lt|gt|quot|#39);/g, (entity) => ENTITIES[entity] ?? entity).trim();
    const [, said = ""] = text.split("\n\n");
    expect(read.slice(0, said.length)).toBe(said);
  }
});

test("every colour of text in a mail has enough contrast with what is behind it, in light and dark", () => {
  const notice = everyMail.find(({ template }) => template === "security_notice") as MailContent;
  const { html } = renderMail(notice, "en", home);
  const dark = (place: string) =>
    new RegExp(`\\.${place}(?:, \\.${place} a)? \\{ (?:background-)?color: (#\\w+)`).exec(html)?.[1] ?? "";
  const light = [
    ["#0b2830", "#ffffff"],
    ["#45606a", "#ffffff"],
    ["#45606a", "#f1f5f4"],
    ["#0b2830", "#e6eded"],
    ["#0b2830", "#ffc933"],
    ["#ffffff", "#0b2830"],
  ] as const;
  const inDark = ["sheet", "page", "facts"].flatMap((place) =>
    ["text", "muted"].map((words) => [dark(words), dark(place)] as const),
  );
  for (const [text, behind] of [...light, ...inDark]) {
    expect(contrast(text, behind), `${text} on ${behind}`).toBeGreaterThanOrEqual(4.5);
  }
  expect(new Set(html.match(/#[\da-f]{6}/g))).toEqual(new Set([...[...light, ...inDark].flat(), "#d39600"]));
});

/** WCAG 2.2, contrast ratio. */
function contrast(one: string, other: string): number {
  const [dark = 0, light = 0] = [one, other].map(luminance).toSorted((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

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

test.each([
  ["en", "Chrome on Windows", "Device: Chrome on Windows"],
  ["en", UNKNOWN_DEVICE, "Device: Unknown device"],
  ["es", "Samsung Internet on Android", "Samsung Internet en Android"],
  ["fr", UNKNOWN_DEVICE, "Appareil inconnu"],
  ["hi", "Safari on iPhone", "iPhone पर Safari"],
  ["ar", "Edge on Windows", "متصفح Edge على Windows"],
  ["ar", "iPad", "iPad"],
] as const)("a notice in %s names the device %s in its language", (language, device, words) => {
  const data = { name, event: "passkey_added" as const, at, device };
  const { text } = renderMail({ template: "security_notice", data }, language, home);
  expect(text.replaceAll(/[\u2068\u2069]/g, "")).toContain(words);
});

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

test("a name in Arabic letters keeps its own order in an English mail, and one in Latin letters is as written", () => {
  const subjectFor = (from: string) =>
    renderMail({ template: "credit_received", data: { name, from, amount: "20.00", greeting: "For you." } }, "en", home).text;
  expect(subjectFor("أحمد (24h)")).toContain("\u2068أحمد (24h)\u2069");
  expect(subjectFor("Ahmed (24h)")).not.toContain("\u2068");
});

test("what somebody else wrote keeps its punctuation in an Arabic mail, and has no empty lines", () => {
  const written = [
    { template: "receipt", data: { ...receipt, kind: "payment" } },
    { template: "case_answered", data: { name, number: "1001", answer: "\n \nTax is included.\n\n\nYours\n" } },
    { template: "credit_received", data: { name, from: "Kofi", amount: "20.00", greeting: "Tax is included." } },
  ] as const;
  for (const content of written) {
    const { text } = renderMail(content, "ar", home);
    expect(text).toContain("\u2068Tax is included.\u2069");
    expect(text).not.toMatch(/\n\s*\n\s*\n/);
  }
});

test("the last mail of a deleted account does not say that its reader has one", () => {
  expect(renderMail({ template: "account_erased", data: { name } }, "en", home).text).toContain(
    "because you had a Farline account",
  );
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
  const { text } = renderMail({ template: "verify_email", data: { name: person, linkId } }, "en", home);
  expect(withoutIsolates(text)).toContain(`Hello ${person},`);
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

test("the receipt of credit for somebody else promises its buyer none", () => {
  const data = { ...receipt, kind: "payment" as const, bonus: null, credited: null, forOther: true as const };
  const { text } = renderMail({ template: "receipt", data }, "en", home);
  expect(text).toContain("We received $20.00 for calling credit that you bought for somebody else.");
  expect(text).not.toMatch(/ready to use|Credit received/);
});

test("mails format amounts for their language and name the currency", () => {
  const text = (language: Language) =>
    renderMail({ template: "receipt", data: { ...receipt, kind: "payment" } }, language, home).text;
  expect(text("fr")).toContain("20,00\u00a0$US");
  expect(text("hi")).toContain("$20.00");
  expect(text("ar")).toContain("20.00\u00a0\u2066US$\u2069");
});
