import type { LockReason } from "@farline/contract/constants.ts";
import type { CaseTopic } from "@farline/contract/cases/cases.ts";
import type { ReceiptKind } from "@farline/contract/billing-documents.ts";
import type { AccountEvent, PaymentFailure, MailContent, NoticeEvent, RemovedAccess } from "../mail-content.ts";

/** Mails that ask to open a link. */
export type LinkTemplate = Exclude<
  MailContent["template"],
  | "security_notice"
  | "account_notice"
  | "account_locked"
  | "account_closing"
  | "account_erased"
  | "receipt"
  | "payment_failed"
  | "case_received"
  | "case_answered"
>;

/** One mail that asks to open a link. */
export interface LinkMailText {
  readonly subject: string;
  readonly paragraphs: readonly string[];
  readonly button: string;
  /** What to do when it was somebody else. */
  readonly note: string;
}

/** All texts of the mails in one language. `{name}` and its like are filled in; nothing in here is HTML. */
export interface MailTexts {
  readonly direction: "ltr" | "rtl";
  readonly greeting: string;
  /** Where there is no name that can be shown. */
  readonly greetingWithoutName: string;
  /** Stands before the address of the button's link, written out. */
  readonly linkHint: string;
  /** Stands under every mail. `{support}` */
  readonly help: string;
  /** Where confirming an address gives a free first call. `{firstCall}` */
  readonly firstCallFree: string;
  readonly footer: { readonly account: string; readonly newsletter: string };
  readonly links: Readonly<Record<LinkTemplate, LinkMailText>>;
  readonly notice: {
    readonly when: string;
    readonly device: string;
    readonly button: string;
    readonly note: string;
    /** `{things}` */
    readonly removed: string;
    readonly things: Readonly<Record<RemovedAccess, string>>;
    /** A new password alone does not open the account. */
    readonly codeStays: string;
    readonly events: Readonly<Record<NoticeEvent, { readonly subject: string; readonly text: string }>>;
  };
  readonly account: {
    readonly button: string;
    readonly events: Readonly<Record<AccountEvent, { readonly subject: string; readonly text: string; readonly note: string }>>;
    readonly locked: {
      readonly subject: string;
      /** The sentence before the text. */
      readonly because: Readonly<Record<LockReason, string>>;
      readonly text: string;
      readonly note: string;
      /** Instead of the note, where a payment is the reason. */
      readonly paymentNote: string;
    };
  };
  /** `{number}` in the subjects. */
  readonly cases: {
    readonly topic: string;
    readonly topics: Readonly<Record<CaseTopic, string>>;
    readonly button: string;
    readonly received: { readonly subject: string; readonly text: string; readonly note: string };
    readonly answered: { readonly subject: string; readonly note: string };
  };
  /** The account will be erased: `{when}`. */
  readonly closing: LinkMailText;
  readonly erased: LinkMailText;
  /** `{amount}` in the texts. */
  readonly paymentFailed: {
    readonly button: string;
    readonly events: Readonly<Record<PaymentFailure, { readonly subject: string; readonly text: string; readonly note: string }>>;
  };
  readonly receipt: {
    /** `{number}`; `{amount}` in the text. */
    readonly kinds: Readonly<Record<ReceiptKind, { readonly subject: string; readonly text: string }>>;
    readonly facts: {
      readonly number: string;
      readonly at: string;
      readonly amount: string;
      readonly tax: string;
      readonly bonus: string;
      readonly credited: string;
      readonly card: string;
      readonly seller: string;
    };
    readonly sample: string;
    readonly button: string;
    readonly note: string;
  };
}
