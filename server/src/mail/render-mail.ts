import {
  dialerPath,
  EXPORT_DAYS,
  forgotPasswordPath,
  type FreezeReason,
  mailLinkPaths,
  oneClickPath,
} from "@farline/contract/constants.ts";
import type { Language } from "@farline/contract/languages.ts";
import { shownName, strangersName } from "@farline/domain/business/passed-on-text.ts";
import { hasSeveralClocks } from "@farline/domain/countries/time-zones.ts";
import { writing } from "@farline/domain/languages.ts";
import { catalogue } from "@farline/texts/catalogue.ts";
import { deviceMessage } from "@farline/texts/device-message.ts";
import { formatValue } from "@farline/texts/format-value.ts";
import { moneyText } from "@farline/domain/money-text.ts";
import { isolate, isolateForeign } from "@farline/domain/text/text-direction.ts";
import { formatDollars } from "@farline/domain/money.ts";
import { linkCode, linkToken } from "../platform/settings/secret-keys.ts";
import { letterHtml, letterText, type Letter } from "./letter.ts";
import { linkUses, type LinkUse, type MailContent, type MailHome, type RemovedAccess } from "./mail-content.ts";
import type { RenderedMail } from "./mail-transport.ts";

type MailTexts = ReturnType<typeof textsIn>;
type LinkMailText = MailTexts["closing"];
/** Mails with a link to open. */
type LinkTemplate = keyof MailTexts["links"];

const CONTACT_PATH = "/contact";
const CONTACTS_PATH = "/contacts";
const LOGIN_PATH = "/login";
const PRIVACY_PATH = "/privacy";
const BILLING_PATH = "/billing";
const CASES_PATH = "/cases";
const RECEIPT_PATH = "/billing/receipts/";

/** The path of each template's link, and what its token may be used for. */
const LINKS: Readonly<Record<LinkTemplate, { path: string; use: LinkUse }>> = {
  verify_email: { path: mailLinkPaths.verifyEmail, use: linkUses.verifyEmail },
  reset_password: { path: mailLinkPaths.resetPassword, use: linkUses.resetPassword },
  change_email_new: { path: mailLinkPaths.changeEmail, use: linkUses.changeEmailNew },
  change_email_old: { path: mailLinkPaths.changeEmail, use: linkUses.changeEmailOld },
  export_ready: { path: mailLinkPaths.exportReady, use: linkUses.exportReady },
  family_invitation: { path: mailLinkPaths.family, use: linkUses.family },
  newsletter_confirm: { path: mailLinkPaths.newsletterConfirm, use: linkUses.newsletterConfirm },
  newsletter_welcome: { path: mailLinkPaths.newsletterUnsubscribe, use: linkUses.newsletterUnsubscribe },
};

/** Why the recipient gets the mail, if it is not because they have an account. */
const FOOTERS: Readonly<Partial<Record<LinkTemplate, "newsletter" | "invitation">>> = {
  newsletter_confirm: "newsletter",
  newsletter_welcome: "newsletter",
  family_invitation: "invitation",
};

function textsIn(language: Language) {
  return catalogue(language, "mail");
}

/** A mail's subject, text and HTML. Links use the public URL and carry their token in the fragment. */
export function renderMail(content: MailContent, language: Language, home: MailHome): RenderedMail {
  const letter = letterOf(content, language, home);
  const leaving = unsubscribeToken(content, home);
  return {
    subject: letter.subject,
    text: letterText(letter),
    html: letterHtml(letter),
    ...(leaving === null ? {} : { unsubscribeUrl: `${home.publicUrl}${oneClickPath}?token=${leaving}` }),
  };
}

/** The token that ends mails of this kind; null for those that an account must get. */
function unsubscribeToken(content: MailContent, { secretKeys }: MailHome): string | null {
  if (content.template !== "newsletter_welcome" && content.template !== "reminder") return null;
  const use = content.template === "reminder" ? linkUses.reminderStop : linkUses.newsletterUnsubscribe;
  return linkToken(secretKeys, use, content.data.linkId);
}

function letterOf(content: MailContent, language: Language, home: MailHome): Letter {
  if (content.template === "security_notice") return noticeLetter(content, language, home);
  if (content.template === "account_notice")
    return accountLetter(content.data.name, textsIn(language).account.events[content.data.event], { language, home });
  if (content.template === "account_locked") return lockedLetter(content.data, { language, home });
  if (content.template === "account_closing") {
    const when = dayAndTime(content.data.at, language);
    return erasureLetter(textsIn(language).closing, { name: content.data.name, when, path: LOGIN_PATH }, language, home);
  }
  if (content.template === "account_erased")
    return erasureLetter(textsIn(language).erased, { name: content.data.name, when: "", path: PRIVACY_PATH }, language, home);
  if (content.template === "reminder") return reminderLetter(content, language, home);
  if (content.template === "credit_received") return giftLetter(content, language, home);
  if (content.template === "receipt") return receiptLetter(content, language, home);
  if (content.template === "case_received" || content.template === "case_answered") return caseLetter(content, language, home);
  if (content.template === "payment_failed") return failureLetter(content, language, home);
  return linkLetter(content, language, home);
}

function linkLetter(content: Extract<MailContent, { template: LinkTemplate }>, language: Language, home: MailHome): Letter {
  const texts = textsIn(language);
  const mail = texts.links[content.template];
  const { path, use } = LINKS[content.template];
  const values: Record<string, string> = {
    ...("newEmail" in content.data ? { newEmail: content.data.newEmail } : {}),
    ...("owner" in content.data ? { owner: strangersName(content.data.owner) ?? texts.somebody } : {}),
    code: linkCode(home.secretKeys, use, content.data.linkId),
    days: String(EXPORT_DAYS),
  };
  return {
    ...frame(texts, { language, home }, "name" in content.data ? content.data.name : null),
    subject: fill(mail.subject, values, language),
    paragraphs: [...mail.paragraphs, ...freeCall(content, language, home)].map((paragraph) => fill(paragraph, values, language)),
    facts: [],
    button: { label: mail.button, url: `${home.publicUrl}${path}#t=${linkToken(home.secretKeys, use, content.data.linkId)}` },
    note: mail.note,
    footer: texts.footer[FOOTERS[content.template] ?? "account"],
  };
}

/** The free call for confirming an address. Disposable addresses get none; the app says so, because the mail cannot know. */
function freeCall({ template }: MailContent, language: Language, { promotions }: MailHome): string[] {
  if (template !== "verify_email" || promotions.firstCallMicros === 0n) return [];
  const texts = textsIn(language);
  return [fill(texts.firstCallFree, { firstCall: money(formatDollars(promotions.firstCallMicros), language) }, language)];
}

function noticeLetter(
  { data }: Extract<MailContent, { template: "security_notice" }>,
  language: Language,
  home: MailHome,
): Letter {
  const texts = textsIn(language);
  const { notice } = texts;
  const { removed = [] } = data;
  return {
    ...frame(texts, { language, home }, data.name),
    subject: notice.events[data.event].subject,
    paragraphs: [
      notice.events[data.event].text,
      ...(removed.length === 0 ? [] : [fill(notice.removed, { things: listed(removed, notice, language) }, language)]),
      ...(data.codeStays === true ? [notice.codeStays] : []),
    ],
    facts: [
      fill(notice.when, { when: dayAndTime(data.at, language) }, language),
      ...(data.device === null ? [] : [fill(notice.device, { device: deviceIn(data.device, language) }, language)]),
    ],
    button: { label: notice.button, url: home.publicUrl + forgotPasswordPath },
    note: notice.note,
    footer: texts.footer.account,
  };
}

function deviceIn(device: string, language: Language): string {
  const message = deviceMessage(device);
  return message === null ? device : fill(catalogue(language, "service")[message.reason], message.params ?? {}, language);
}

function listed(removed: readonly RemovedAccess[], notice: MailTexts["notice"], language: Language): string {
  return new Intl.ListFormat(language, { type: "conjunction" }).format(removed.map((one) => notice.things[one]));
}

interface Reader {
  readonly language: Language;
  readonly home: MailHome;
}

function lockedLetter({ name, because }: { name: string; because: FreezeReason }, reader: Reader): Letter {
  const { locked } = textsIn(reader.language).account;
  const text = `${locked.because[because]} ${locked.text}`;
  return accountLetter(
    name,
    { subject: locked.subject, text, note: because === "payment" ? locked.paymentNote : locked.note },
    reader,
  );
}

function accountLetter(
  name: string,
  { subject, text, note }: { readonly subject: string; readonly text: string; readonly note: string },
  { language, home }: Reader,
): Letter {
  const texts = textsIn(language);
  return {
    ...frame(texts, { language, home }, name),
    subject,
    paragraphs: [text],
    facts: [],
    button: { label: texts.account.button, url: home.publicUrl + CONTACT_PATH },
    note,
    footer: texts.footer.account,
  };
}

function caseLetter(
  content: Extract<MailContent, { template: "case_received" | "case_answered" }>,
  language: Language,
  home: MailHome,
): Letter {
  const texts = textsIn(language);
  const { cases } = texts;
  const { name, number } = content.data;
  const isAnswer = content.template === "case_answered";
  const { subject, note } = isAnswer ? cases.answered : cases.received;
  return {
    ...frame(texts, { language, home }, name),
    subject: fill(subject, { number }, language),
    paragraphs: isAnswer ? linesOf(content.data.answer).map((line) => asWritten(line, language)) : [cases.received.text],
    facts: isAnswer ? [] : [fill(cases.topic, { topic: cases.topics[content.data.topic] }, language)],
    button: { label: cases.button, url: home.publicUrl + CASES_PATH },
    note,
    footer: texts.footer.account,
  };
}

/** About the erasure of an account. */
function erasureLetter(
  mail: LinkMailText,
  { name, when, path }: { readonly name: string; readonly when: string; readonly path: string },
  language: Language,
  home: MailHome,
): Letter {
  const texts = textsIn(language);
  return {
    ...frame(texts, { language, home }, name),
    subject: mail.subject,
    paragraphs: mail.paragraphs.map((paragraph) => fill(paragraph, { when }, language)),
    facts: [],
    button: { label: mail.button, url: home.publicUrl + path },
    note: mail.note,
    footer: when === "" ? texts.footer.former : texts.footer.account,
  };
}

function failureLetter(
  { data }: Extract<MailContent, { template: "payment_failed" }>,
  language: Language,
  home: MailHome,
): Letter {
  const texts = textsIn(language);
  const { subject, text, note } = texts.paymentFailed.events[data.event];
  return {
    ...frame(texts, { language, home }, data.name),
    subject,
    paragraphs: [fill(text, { amount: money(data.amount, language) }, language)],
    facts: [],
    button: { label: texts.paymentFailed.button, url: home.publicUrl + BILLING_PATH },
    note,
    footer: texts.footer.account,
  };
}

function reminderLetter(content: Extract<MailContent, { template: "reminder" }>, language: Language, home: MailHome): Letter {
  const texts = textsIn(language);
  const { reminder } = texts;
  const { name, contact, time } = content.data;
  const values = {
    contact: shownName(contact) ?? reminder.somebody,
    time,
    place: placeOf(content.data, language),
  };
  return {
    ...frame(texts, { language, home }, name),
    subject: fill(reminder.subject, values, language),
    paragraphs: [fill(reminder.text, values, language)],
    facts: [],
    button: { label: reminder.button, url: home.publicUrl + CONTACTS_PATH },
    note: reminder.note,
    noteUrl: `${home.publicUrl}${mailLinkPaths.newsletterUnsubscribe}#t=${unsubscribeToken(content, home)}`,
    footer: texts.footer.account,
  };
}

/** Where a clock is: its city in countries that have several, else the country. */
function placeOf(
  { countryCode, timeZone }: { readonly countryCode: string; readonly timeZone: string },
  language: Language,
): string {
  const places: Readonly<Record<string, string>> = catalogue(language, "places");
  const city = hasSeveralClocks(countryCode) ? places[timeZone] : undefined;
  return city ?? new Intl.DisplayNames(language, { type: "region" }).of(countryCode) ?? countryCode;
}

function giftLetter({ data }: Extract<MailContent, { template: "credit_received" }>, language: Language, home: MailHome): Letter {
  const texts = textsIn(language);
  const { gift } = texts;
  const values = { amount: money(data.amount, language), from: strangersName(data.from) ?? gift.somebody };
  return {
    ...frame(texts, { language, home }, data.name),
    subject: fill(gift.subject, values, language),
    paragraphs: [fill(gift.text, values, language), ...(data.greeting === "" ? [] : [`“${asWritten(data.greeting, language)}”`])],
    facts: [],
    button: { label: gift.button, url: home.publicUrl + dialerPath },
    note: gift.note,
    footer: texts.footer.account,
  };
}

function receiptLetter({ data }: Extract<MailContent, { template: "receipt" }>, language: Language, home: MailHome): Letter {
  const texts = textsIn(language);
  const { receipt } = texts;
  const { facts } = receipt;
  const { subject, text } = receipt.kinds[data.kind];
  const said = data.forOther === true ? receipt.forOther : text;
  const line = (fact: string, values: Readonly<Record<string, string>> | null) =>
    values === null ? [] : [fill(fact, values, language)];
  return {
    ...frame(texts, { language, home }, data.name),
    subject: fill(subject, { number: data.number }, language),
    paragraphs: [fill(said, { amount: money(data.amount, language) }, language), ...(data.sample ? [receipt.sample] : [])],
    facts: [
      ...line(facts.number, { number: data.number }),
      ...line(facts.at, { when: dayAndTime(data.at, language) }),
      ...line(facts.amount, { amount: money(data.amount, language) }),
      ...line(facts.tax, data.tax === null ? null : { ...data.tax, amount: money(data.tax.amount, language) }),
      ...line(facts.bonus, data.bonus === null ? null : { amount: money(data.bonus, language) }),
      ...line(facts.credited, data.credited === null ? null : { amount: money(data.credited, language) }),
      ...line(facts.card, data.card === null ? null : { card: data.card }),
      ...line(facts.seller, { seller: data.seller.join(", ") }),
      ...(data.taxNote === null ? [] : [asWritten(data.taxNote, language)]),
    ],
    button:
      data.guest === true
        ? { label: texts.account.button, url: home.publicUrl + CONTACT_PATH }
        : { label: receipt.button, url: home.publicUrl + RECEIPT_PATH + data.receiptId },
    note: receipt.note,
    footer: data.guest === true ? texts.footer.guest : texts.footer.account,
  };
}

/** Formats dollars for a language, with the currency's name where the sign alone is ambiguous. */
function money(decimal: string, language: Language): string {
  return moneyText(decimal, language, { named: true });
}

/** Formats a date and time for a language, in UTC. */
function dayAndTime(at: string, language: Language): string {
  const format = new Intl.DateTimeFormat(language, { dateStyle: "long", timeStyle: "short", timeZone: "UTC" });
  return `${format.format(new Date(at))} UTC`;
}

function frame(
  texts: MailTexts,
  { language, home }: { readonly language: Language; readonly home: MailHome },
  name: string | null,
): Pick<Letter, "language" | "direction" | "greeting" | "linkHint" | "help"> {
  const shown = name === null ? null : strangersName(name);
  const greeting = shown === null ? texts.greetingWithoutName : fill(texts.greeting, { name: shown }, language);
  const help = fill(texts.help, { support: home.supportEmail }, language);
  return { language, direction: writing[language].direction, greeting, linkHint: texts.linkHint, help };
}

/** A text of somebody else's, perhaps in another script than the mail's. */
function asWritten(text: string, language: Language): string {
  return fill("{{text}}", { text }, language);
}

function linesOf(text: string): string[] {
  return text.split("\n").filter((line) => line.trim() !== "");
}

/** Fills placeholders. In right-to-left text each value is isolated, so that its punctuation stays in place; elsewhere those in letters of the other direction. */
function fill(text: string, values: Readonly<Record<string, string>>, language: Language): string {
  return text.replace(/\{\{(\w+)(?:, (\w+))?\}\}/g, (_, key: string, format?: string) => {
    const value = values[key];
    if (value === undefined) throw new Error(`The mail has no value for the placeholder {${key}}.`);
    return writing[language].direction === "rtl" ? isolate(value) : isolateForeign(formatValue(value, format), language);
  });
}
