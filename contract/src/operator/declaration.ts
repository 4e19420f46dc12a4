import type { TimelineType } from "./constants.ts";
import type { OperatorRight } from "./rights.ts";

/** What operators see of a customer or an entry of the timeline; it decides what they can do. */
export interface CustomerFacts {
  readonly isFrozen: boolean;
  /** Whether it closes for its erasure. */
  readonly isClosing: boolean;
  readonly emailVerified: boolean;
  readonly sessions: number;
  readonly liveCalls: number;
  readonly debtMicros: bigint;
}
export interface EntryFacts {
  readonly type: TimelineType;
  readonly state: string | null;
  readonly amountMicros: bigint | null;
  /** Which template, event, reason or action. */
  readonly kind: string | null;
}

/** What the sentence before an operation names. */
export interface About {
  readonly email: string;
  readonly sessions: number;
  readonly liveCalls: number;
  readonly debt: string;
  /** What the operator may still move for this customer without a second one. */
  readonly alone: string;
  /** The entry of the timeline; null for the customer. */
  readonly entry: { readonly type: TimelineType; readonly amount: string | null } | null;
}

/** Who proposes and who confirms, and when a second operator is needed. */
export interface Second {
  /** `amount`: above what one operator may move. `concern`: for what is unusual or lets somebody in. */
  readonly when: "amount" | "concern";
  readonly proposes: OperatorRight;
  readonly decides: OperatorRight;
  /** The proposal's title; its amount and customer follow. */
  readonly title: string;
  /** What the console says once it is confirmed. */
  readonly confirmed?: (proposer: string) => string;
}

/**
 * What an operator can do, declared once under its one name: the record, the proposal, the right, the route, the command and the console
 * read it here. Its input and answer stand in `operation-inputs.ts`, its verb in the subject that owns it.
 */
export interface Declaration {
  /** What it is about: a key of its input, and the parameter of its path. Null if the input names it. */
  readonly subject:
    | "customer"
    | "payment"
    | "call"
    | "number"
    | "deck"
    | "code"
    | "setting"
    | "operator"
    | "dispute"
    | "month"
    | "exchange"
    | "breaker"
    | "proposal"
    | null;
  /** `rights.ts` says which roles have it, and whether it takes a recent proof of identity. */
  readonly right: OperatorRight;
  /** Without it, one operator always may. */
  readonly second?: Second;
  readonly route: `${"POST" | "PUT"} /api/operator/${string}`;
  readonly label: string;
  /** What it will do, and for one that takes only a reason what was done. */
  readonly says?: (about: About) => string;
  readonly done?: (answer: never) => string;
  /** Whether it ends something. */
  readonly ends?: boolean;
  /** When it is offered at a customer or an entry of the timeline. */
  readonly forCustomer?: (customer: CustomerFacts) => boolean;
  readonly forEntry?: (entry: EntryFacts) => boolean;
}

export const byMoney = (title: string) => ({ when: "amount", proposes: "money", decides: "money", title }) as const;
export const byAdmins = (title: string) => ({ when: "concern", proposes: "operators", decides: "operators", title }) as const;
export const linkWaits = (proposer: string) => `Done. Only ${proposer} can fetch the link, on the Operators page.`;
export const aloneText = ({ alone }: About) =>
  `You may move $${alone} more for this customer today; above it, a second operator confirms.`;
export const changed = (done: string, before: string) => (answer: { readonly changed: boolean }) =>
  answer.changed ? done : before;
export const hasAmount = ({ amountMicros }: EntryFacts) => (amountMicros ?? 0n) > 0n;
export const isOver = ({ state }: EntryFacts) => state === "completed" || state === "failed";
