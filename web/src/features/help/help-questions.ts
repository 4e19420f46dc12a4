/** Pages that answers link to, by the key of the link's text. */
export const helpLinks = {
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
export const helpQuestions = {
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

export type HelpGroup = keyof typeof helpQuestions;
export type QuestionId = (typeof helpQuestions)[HelpGroup][number]["id"];
