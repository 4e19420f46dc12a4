import { dialerPath, EXPORT_DAYS, forgotPasswordPath, mailLinkPaths, oneClickPath } from "@farline/contract/constants.ts";
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
import { linkUses, type LinkUse, type MailContent, type MailHome } from "./mail-content.ts";
import type { RenderedMail } from "./mail-transport.ts";

type MailTexts = ReturnType<typeof textsIn>;
type Template = MailContent["template"];
/** The data of a template. */
type DataOf<T extends Template> = Extract<MailContent, { template: T }>["data"];
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

/** Who reads a mail: the language, its texts, and the installation that sends it. */
interface Reader {
  readonly language: Language;
  readonly home: MailHome;
  readonly texts: MailTexts;
}

/** A mail's subject, text and HTML. Links use the public URL and carry their token in the fragment. */
export function renderMail(content: MailContent, language: Language, home: MailHome): RenderedMail {
  const letter = letterOf(content, { language, home, texts: textsIn(language) });
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

function letterOf(content: MailContent, reader: Reader): Letter {
  const { texts, language } = reader;
  switch (content.template) {
    case "security_notice":
      return noticeLetter(content.data, reader);
    case "account_notice":
      return accountLetter(content.data.name, texts.account.events[content.data.event], reader);
    case "account_locked":
      return lockedLetter(content.data, reader);
    case "account_closing":
      return erasureLetter(
        texts.closing,
        { ...content.data, when: dayAndTime(content.data.at, language), path: LOGIN_PATH },
        reader,
      );
    case "account_erased":
      return erasureLetter(texts.erased, { ...content.data, when: null, path: PRIVACY_PATH }, reader);
    case "reminder":
      return reminderLetter(content, reader);
    case "credit_received":
      return giftLetter(content.data, reader);
    case "receipt":
      return receiptLetter(content.data, reader);
    case "case_received":
    case "case_answered":
      return caseLetter(content, reader);
    case "payment_failed":
      return failureLetter(content.data, reader);
    default:
      return linkLetter(content, reader);
  }
}

/** What one mail says; the rest of a letter is the same in all. */
interface Said extends Pick<Letter, "subject" | "paragraphs" | "note" | "noteUrl"> {
  /** None if left out. */
  readonly facts?: Letter["facts"];
  /** `path`: with its query and fragment. */
  readonly button: { readonly label: string; readonly path: string };
  /** If left out, that the recipient has an account. */
  readonly footer?: string;
}

/** @param name the recipient's; null if unknown */
function letterTo(name: string | null, said: Said, { language, home, texts }: Reader): Letter {
  const shown = name === null ? null : strangersName(name);
  return {
    facts: [],
    footer: texts.footer.account,
    ...said,
    language,
    direction: writing[language].direction,
    greeting: shown === null ? texts.greetingWithoutName : fill(texts.greeting, { name: shown }, language),
    button: { label: said.button.label, url: home.publicUrl + said.button.path },
    linkHint: texts.linkHint,
    help: fill(texts.help, { support: home.supportEmail }, language),
  };
}

function linkLetter(content: Extract<MailContent, { template: LinkTemplate }>, reader: Reader): Letter {
  const { language, home, texts } = reader;
  const { subject, paragraphs, button, note } = texts.links[content.template];
  const { path, use } = LINKS[content.template];
  const values: Record<string, string> = {
    ...("newEmail" in content.data ? { newEmail: content.data.newEmail } : {}),
    ...("owner" in content.data ? { owner: strangersName(content.data.owner) ?? texts.somebody } : {}),
    code: linkCode(home.secretKeys, use, content.data.linkId),
    days: String(EXPORT_DAYS),
  };
  const said = {
    subject: fill(subject, values, language),
    paragraphs: [...paragraphs, ...freeCall(content, reader)].map((paragraph) => fill(paragraph, values, language)),
    button: { label: button, path: `${path}#t=${linkToken(home.secretKeys, use, content.data.linkId)}` },
    note,
    footer: texts.footer[FOOTERS[content.template] ?? "account"],
  };
  return letterTo("name" in content.data ? content.data.name : null, said, reader);
}

/** The free call for confirming an address. Disposable addresses get none; the app says so, because the mail cannot know. */
function freeCall({ template }: MailContent, { language, home: { promotions }, texts }: Reader): string[] {
  if (template !== "verify_email" || promotions.firstCallMicros === 0n) return [];
  return [fill(texts.firstCallFree, { firstCall: money(formatDollars(promotions.firstCallMicros), language) }, language)];
}

function noticeLetter(data: DataOf<"security_notice">, reader: Reader): Letter {
  const { language, texts } = reader;
  const { notice } = texts;
  const { subject, text } = notice.events[data.event];
  const removed = (data.removed ?? []).map((one) => notice.things[one]);
  const things = new Intl.ListFormat(language, { type: "conjunction" }).format(removed);
  const said = {
    subject,
    paragraphs: [
      text,
      ...(removed.length === 0 ? [] : [fill(notice.removed, { things }, language)]),
      ...(data.codeStays === true ? [notice.codeStays] : []),
    ],
    facts: [
      fill(notice.when, { when: dayAndTime(data.at, language) }, language),
      ...(data.device === null ? [] : [fill(notice.device, { device: deviceIn(data.device, language) }, language)]),
    ],
    button: { label: notice.button, path: forgotPasswordPath },
    note: notice.note,
  };
  return letterTo(data.name, said, reader);
}

function deviceIn(device: string, language: Language): string {
  const message = deviceMessage(device);
  return message === null ? device : fill(catalogue(language, "service")[message.reason], message.params ?? {}, language);
}

function lockedLetter({ name, because }: DataOf<"account_locked">, reader: Reader): Letter {
  const { locked } = reader.texts.account;
  const text = `${locked.because[because]} ${locked.text}`;
  const note = because === "payment" ? locked.paymentNote : locked.note;
  return accountLetter(name, { subject: locked.subject, text, note }, reader);
}

function accountLetter(
  name: string,
  { subject, text, note }: { readonly subject: string; readonly text: string; readonly note: string },
  reader: Reader,
): Letter {
  const button = { label: reader.texts.account.button, path: CONTACT_PATH };
  return letterTo(name, { subject, paragraphs: [text], button, note }, reader);
}

function caseLetter(content: Extract<MailContent, { template: "case_received" | "case_answered" }>, reader: Reader): Letter {
  const { language, texts } = reader;
  const { cases } = texts;
  const isAnswer = content.template === "case_answered";
  const { subject, note } = isAnswer ? cases.answered : cases.received;
  const said = {
    subject: fill(subject, { number: content.data.number }, language),
    paragraphs: isAnswer ? linesOf(content.data.answer).map((line) => asWritten(line, language)) : [cases.received.text],
    facts: isAnswer ? [] : [fill(cases.topic, { topic: cases.topics[content.data.topic] }, language)],
    button: { label: cases.button, path: CASES_PATH },
    note,
  };
  return letterTo(content.data.name, said, reader);
}

/** About the erasure of an account. @param about.when null once it was erased */
function erasureLetter(
  { subject, paragraphs, button, note }: MailTexts["closing"],
  { name, when, path }: { readonly name: string; readonly when: string | null; readonly path: string },
  reader: Reader,
): Letter {
  const { language, texts } = reader;
  const said = {
    subject,
    paragraphs: paragraphs.map((paragraph) => fill(paragraph, { when: when ?? "" }, language)),
    button: { label: button, path },
    note,
    footer: when === null ? texts.footer.former : texts.footer.account,
  };
  return letterTo(name, said, reader);
}

function failureLetter(data: DataOf<"payment_failed">, reader: Reader): Letter {
  const { language, texts } = reader;
  const { subject, text, note } = texts.paymentFailed.events[data.event];
  const said = {
    subject,
    paragraphs: [fill(text, { amount: money(data.amount, language) }, language)],
    button: { label: texts.paymentFailed.button, path: BILLING_PATH },
    note,
  };
  return letterTo(data.name, said, reader);
}

function reminderLetter(content: Extract<MailContent, { template: "reminder" }>, reader: Reader): Letter {
  const { language, home, texts } = reader;
  const { reminder } = texts;
  const { name, contact, time } = content.data;
  const values = { contact: shownName(contact) ?? reminder.somebody, time, place: placeOf(content.data, language) };
  const said = {
    subject: fill(reminder.subject, values, language),
    paragraphs: [fill(reminder.text, values, language)],
    button: { label: reminder.button, path: CONTACTS_PATH },
    note: reminder.note,
    noteUrl: `${home.publicUrl}${mailLinkPaths.newsletterUnsubscribe}#t=${unsubscribeToken(content, home)}`,
  };
  return letterTo(name, said, reader);
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

function giftLetter(data: DataOf<"credit_received">, reader: Reader): Letter {
  const { language, texts } = reader;
  const { gift } = texts;
  const values = { amount: money(data.amount, language), from: strangersName(data.from) ?? gift.somebody };
  const said = {
    subject: fill(gift.subject, values, language),
    paragraphs: [fill(gift.text, values, language), ...(data.greeting === "" ? [] : [`“${asWritten(data.greeting, language)}”`])],
    button: { label: gift.button, path: dialerPath },
    note: gift.note,
  };
  return letterTo(data.name, said, reader);
}

function receiptLetter(data: DataOf<"receipt">, reader: Reader): Letter {
  const { language, texts } = reader;
  const { receipt } = texts;
  const { facts } = receipt;
  const { subject, text } = receipt.kinds[data.kind];
  const line = (fact: string, values: Readonly<Record<string, string>> | null) =>
    values === null ? [] : [fill(fact, values, language)];
  const amountLine = (fact: string, amount: string | null) =>
    line(fact, amount === null ? null : { amount: money(amount, language) });
  const said = {
    subject: fill(subject, { number: data.number }, language),
    paragraphs: [
      fill(data.forOther === true ? receipt.forOther : text, { amount: money(data.amount, language) }, language),
      ...(data.sample ? [receipt.sample] : []),
    ],
    facts: [
      ...line(facts.number, { number: data.number }),
      ...line(facts.at, { when: dayAndTime(data.at, language) }),
      ...amountLine(facts.amount, data.amount),
      ...line(facts.tax, data.tax === null ? null : { ...data.tax, amount: money(data.tax.amount, language) }),
      ...amountLine(facts.bonus, data.bonus),
      ...amountLine(facts.credited, data.credited),
      ...line(facts.card, data.card === null ? null : { card: data.card }),
      ...line(facts.seller, { seller: data.seller.join(", ") }),
      ...(data.taxNote === null ? [] : [asWritten(data.taxNote, language)]),
    ],
    button:
      data.guest === true
        ? { label: texts.account.button, path: CONTACT_PATH }
        : { label: receipt.button, path: RECEIPT_PATH + data.receiptId },
    note: receipt.note,
    footer: data.guest === true ? texts.footer.guest : texts.footer.account,
  };
  return letterTo(data.name, said, reader);
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
