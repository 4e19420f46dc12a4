import { ERASURE_GRACE_DAYS, REFUND_DAYS, SECONDS_TO_RETURN } from "@farline/contract/constants.ts";
import type { Language } from "@farline/contract/languages.ts";
import { contactFileLimits } from "@farline/domain/contacts/contact-file.ts";
import { writing } from "@farline/domain/languages.ts";
import { moneyText } from "@farline/domain/money-text.ts";
import type { i18n as I18n } from "i18next";

const MEGABYTE = 1024 * 1024;
/** An increment that carriers use, as an example. */
const STEPS = { first: 30, next: 6 };
const BROWSERS = ["chrome", "edge", "firefox", "safari", "android", "samsung", "iphone"] as const;

/** A question with its answer, in the page's language. */
export interface HelpAnswer {
  readonly id: QuestionId;
  readonly question: string;
  readonly answer: string;
  /** A list that follows the answer. */
  readonly items: readonly string[];
  readonly links: readonly { readonly href: string; readonly text: string }[];
}

export interface HelpSection {
  readonly group: HelpGroup;
  readonly title: string;
  readonly answers: readonly HelpAnswer[];
}

/**
 * The help page's sections. Answers quote names of controls and limits from where these are defined.
 * @param firstCall first-call credit in dollars; null leaves the question out
 */
export function helpSections(texts: I18n, firstCall: string | null): readonly HelpSection[] {
  const t = texts.getFixedT(null, ["help", "common", "dialer", "dialer-parts", "history", "billing", "account"]);
  const values = quotedValues(texts, firstCall);
  const groups = Object.keys(helpQuestions) as HelpGroup[];
  return groups.map((group) => ({
    group,
    title: t(`group.${group}`),
    answers: helpQuestions[group]
      .filter(({ id }) => id !== "first-call" || firstCall !== null)
      .map(({ id, links }) => ({
        id,
        question: t(`question.${id}.ask`),
        answer: t(`question.${id}.answer`, values),
        items: id === "microphone" ? BROWSERS.map((browser) => t(`dialer-parts:microphoneHelp.${browser}`)) : [],
        links: links.map((link) => ({ href: helpLinks[link], text: t(`link.${link}`) })),
      })),
  }));
}

function quotedValues(texts: I18n, firstCall: string | null): Readonly<Record<string, string | number>> {
  const t = texts.getFixedT(null, ["common", "dialer", "history", "billing", "account"]);
  const language = texts.language as Language;
  const steps = t("increments.steps", { count: STEPS.next });
  return {
    soundCheck: t("dialer:soundCheck"),
    soundInCall: t("dialer:call.sound"),
    keypad: t("dialer:call.keypad"),
    extension: t("dialer:extension.add"),
    callerId: t("account:callerId.title"),
    twoStep: t("account:authenticator.title"),
    yourData: t("account:export.title"),
    deleteAccount: t("account:erase.cardTitle"),
    eraseDays: ERASURE_GRACE_DAYS,
    reportCall: t("history:refund.open"),
    unpaid: t("billing:list.group.unpaid"),
    withdraw: t("billing:withdraw.title"),
    autoTopUp: t("billing:autoTopUp.title"),
    gifts: t("billing:gifts.title"),
    family: t("account:family.title"),
    steps: t("increments.atLeast", { steps, count: STEPS.first }),
    seconds: SECONDS_TO_RETURN,
    days: REFUND_DAYS,
    megabytes: contactFileLimits.bytes / MEGABYTE,
    rows: new Intl.NumberFormat(writing[language].figures, { numberingSystem: "latn" }).format(contactFileLimits.rows),
    freeCall: firstCall === null ? "" : moneyText(firstCall, language),
  };
}

/** Pages that answers link to, by the key of the link's text. */
const helpLinks = {
  dialer: "/dialer",
  history: "/history",
  billing: "/billing",
  account: "/account",
  family: "/family",
  contacts: "/contacts",
  rates: "/rates",
  emergency: "/emergency-calls",
  password: "/forgot-password",
  status: "/status",
  ask: "/cases/new",
} as const;

type HelpLink = keyof typeof helpLinks;

interface Question<Id extends string = string> {
  /** The address is `/help#<id>`. */
  readonly id: Id;
  readonly links: readonly HelpLink[];
}

const question = <const Id extends string>(id: Id, ...links: HelpLink[]): Question<Id> => ({ id, links });

/** The help page's questions, by subject, in the order of the page. */
const helpQuestions = {
  calls: [
    question("microphone", "dialer"),
    question("no-sound", "dialer", "status"),
    question("not-heard", "dialer"),
    question("caller-id", "account"),
    question("connection"),
    question("keypad", "dialer"),
  ],
  charges: [
    question("charge", "history"),
    question("seconds", "rates"),
    question("fees", "rates"),
    question("first-call", "account"),
    question("hold", "billing"),
  ],
  numbers: [question("refused", "rates", "account"), question("emergency", "emergency"), question("premium", "rates")],
  payments: [
    question("declined", "billing"),
    question("pending", "billing", "ask"),
    question("refund", "billing", "history"),
    question("receipts", "billing"),
    question("auto-top-up", "billing"),
    question("gift", "billing"),
  ],
  account: [
    question("mail", "account"),
    question("password", "password"),
    question("second-factor", "account"),
    question("family", "family"),
    question("leave", "account", "billing"),
    question("contact-file", "contacts"),
  ],
} as const satisfies Readonly<Record<string, readonly Question[]>>;

type HelpGroup = keyof typeof helpQuestions;
type QuestionId = (typeof helpQuestions)[HelpGroup][number]["id"];
