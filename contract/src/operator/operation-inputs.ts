import { termNames } from "@farline/domain/business/customer-terms.ts";
import { toDecimalString } from "@farline/domain/money.ts";
import { z } from "zod";
import { emailField, nameField } from "../accounts.ts";
import type { ErrorCode } from "../api/error-codes.ts";
import { freezeReasons } from "../constants.ts";
import { id, instant, typedDollars } from "../values.ts";
import { activated, activationResponse, stepBackOrder } from "./decks.ts";
import { liveQuery } from "./live-calls.ts";
import { monthClosing } from "./month.ts";
import { operationNames, operations, type OperationName } from "./operations.ts";
import { invitationLinkResponse, operationReason } from "./people.ts";
import { caseAnswer, refundAnswer } from "./queue.ts";
import { operatorRole } from "./session.ts";

/** An input with a reason, which the audit log keeps. */
const because = <Shape extends z.ZodRawShape>(shape: Shape) => z.object({ ...shape, reason: operationReason });
const nothingElse = because({});
const MAX_RECONCILED_DAYS = 90;
/** Guards a movement of money against a double click, a reload and a second operator. */
const once = {
  /** Made when the form opens: a key never moves money twice. */
  key: z.uuid(),
  /** Repeats a movement that was made or proposed within the last hour; without it, the repetition is refused. */
  again: z.boolean().default(false),
};
const time = instant.transform((text) => new Date(text));

/** Whether it changed anything; false if it was so already. */
const changed = z.object({ changed: z.boolean() });
/** `proposal` waits for a second operator, and nothing was moved. */
const moved = z.object({ proposal: id.nullable() });

/** Without an amount: the rest of the payment. */
const refund = because({
  amount: typedDollars.optional(),
  /** Whether it may exceed the unspent part; the excess becomes a debt. */
  force: z.boolean().default(false),
  /** The reference of a transfer that the operator has made outside the provider. Each can be used once. */
  outside: z.string().optional(),
  ...once,
});

interface Words {
  /** The body of its route: all of its input but the subject. What is parsed and written as JSON parses to the same again. */
  readonly body: z.ZodObject;
  readonly answer?: z.ZodType;
  readonly status?: 201;
  readonly refusals?: readonly ErrorCode[];
}

/** What each operation takes and answers. */
export const operationInputs = {
  "hang-up": {
    body: liveQuery.extend({ call: z.string().max(40).optional(), reason: operationReason }),
    answer: z.object({ ended: z.number().int() }),
    refusals: ["not_found"],
  },
  freeze: { body: because({ because: z.enum(freezeReasons) }), answer: changed, refusals: ["not_found"] },
  /** `ofReview`: refused if the account is no longer under review. */
  unfreeze: {
    body: because({ ofReview: z.boolean().default(false) }),
    answer: changed.extend(moved.shape),
    refusals: ["not_found", "conflict"],
  },
  "keep-frozen": { body: nothingElse, refusals: ["not_found", "conflict"] },
  /** Sets the tier or a limit until a time; `earned` returns to what the customer has earned. More, or the same for longer, takes the right `release`. */
  "set-term": {
    body: because({ name: z.enum(termNames), value: z.string().max(40), until: instant.optional() }),
    answer: moved,
    refusals: ["not_found", "conflict"],
  },
  "end-sessions": { body: nothingElse, refusals: ["not_found"] },
  "confirm-address": { body: nothingElse, answer: changed, refusals: ["not_found"] },
  "resend-verification": { body: nothingElse, answer: changed, refusals: ["not_found"] },
  adjust: {
    /** `take` is from consoles of the previous release: what takes credit is `deduct`. */
    body: because({ amount: typedDollars, take: z.literal(false).default(false), ...once }),
    answer: moved,
    refusals: ["not_found", "conflict"],
  },
  deduct: { body: because({ amount: typedDollars, ...once }), answer: moved, refusals: ["not_found", "conflict"] },
  "write-off": { body: nothingElse, answer: moved, refusals: ["not_found", "conflict"] },
  refund: {
    body: refund,
    answer: moved.extend({ failure: z.string().nullable() }),
    refusals: ["not_found", "conflict", "payment_provider_down"],
  },
  /** Without a reason only if the customer has asked for it. The customer reads the answer. */
  "refund-call": {
    body: z.object({ reason: operationReason.nullable(), answer: refundAnswer.nullable() }),
    answer: moved,
    refusals: ["not_found", "conflict"],
  },
  /** The customer reads the answer. */
  "decline-call-refund": { body: z.object({ answer: refundAnswer }), refusals: ["not_found", "conflict"] },
  "answer-case": { body: z.object({ answer: caseAnswer }), refusals: ["not_found", "conflict"] },
  "close-case": { body: nothingElse, refusals: ["not_found", "conflict"] },
  "activate-deck": { body: because({ at: instant.nullable() }), answer: activationResponse, refusals: ["conflict"] },
  "cancel-deck": { body: nothingElse, answer: z.object({ cancelled: z.array(instant) }) },
  "roll-back-deck": { body: stepBackOrder, answer: activated, refusals: ["conflict"] },
  /** Exactly one of `percent` and `fixedMicros`; a package allows only the latter. */
  "create-promo": {
    body: because({
      percent: z.number().nullable(),
      fixedMicros: typedDollars.nullable(),
      /** For a percentage: the maximum bonus per top-up. */
      maxBonusMicros: typedDollars.nullable(),
      packageId: z.string().nullable(),
      minMicros: typedDollars,
      maxUses: z.number().nullable(),
      budgetMicros: typedDollars.nullable(),
      startsAt: time.nullable(),
      endsAt: time.nullable(),
    }),
    answer: moved,
    refusals: ["conflict"],
  },
  "end-promo": { body: nothingElse, answer: z.object({ uses: z.number().int() }), refusals: ["not_found", "conflict"] },
  /** The value as operators type it. */
  "set-setting": {
    body: because({ value: z.string(), from: instant.nullable() }),
    answer: moved,
    refusals: ["conflict"],
  },
  "lift-breaker": { body: nothingElse, answer: z.object({ text: z.string() }), refusals: ["not_found"] },
  /** `removed`: an account had it. */
  "block-caller-number": { body: nothingElse, answer: changed.extend({ removed: z.boolean() }) },
  "unblock-caller-number": { body: nothingElse, answer: changed },
  /** What was done about it at the payment provider. */
  "handle-dispute": { body: because({ as: z.enum(["answered", "accepted"]) }), refusals: ["not_found", "conflict"] },
  /** A CSV file for the bank. */
  "export-evidence": {
    body: nothingElse,
    answer: z.object({ name: z.string(), csv: z.string() }),
    refusals: ["not_found"],
  },
  "settle-lost-exchange": { body: nothingElse, answer: z.object({ settled: z.number().int() }), refusals: ["conflict"] },
  reconcile: {
    body: because({ days: z.number().int().min(1).max(MAX_RECONCILED_DAYS) }),
    answer: z.object({ repaired: z.number().int(), differences: z.number().int() }),
    refusals: ["conflict", "payment_provider_down"],
  },
  "close-month": { body: nothingElse, answer: monthClosing, refusals: ["not_found", "conflict", "payment_provider_down"] },
  "open-intake": { body: nothingElse, refusals: ["conflict"] },
  "reject-proposal": { body: nothingElse, refusals: ["not_found", "conflict"] },
  "withdraw-proposal": { body: nothingElse, refusals: ["not_found", "conflict"] },
  "export-account": { body: nothingElse, answer: changed, refusals: ["not_found"] },
  "erase-account": {
    body: nothingElse,
    answer: z.object({ erase_at: instant }),
    refusals: ["not_found", "erasure_blocked"],
  },
  "keep-account": { body: nothingElse, refusals: ["not_found", "conflict"] },
  "invite-operator": {
    body: because({ email: emailField, name: nameField, role: operatorRole }),
    answer: invitationLinkResponse,
    status: 201,
    refusals: ["conflict"],
  },
  "renew-invitation": { body: nothingElse, answer: invitationLinkResponse, refusals: ["not_found", "conflict"] },
  "change-role": { body: because({ role: operatorRole }), refusals: ["not_found", "conflict"] },
  "end-operator-sessions": { body: nothingElse, refusals: ["not_found", "conflict"] },
  /** The link that the operator proposed and another confirmed, once. */
  "fetch-link": { body: nothingElse, answer: invitationLinkResponse, refusals: ["not_found", "conflict"] },
  "remove-operator": { body: nothingElse, refusals: ["not_found", "conflict"] },
} as const satisfies { readonly [N in OperationName]: Words };

type Inputs = typeof operationInputs;
type Subjects = { [N in OperationName]: (typeof operations)[N]["subject"] };

/** What a verb gets: its subject and its parsed body. */
export type OperationInput<N extends OperationName> = {
  [One in N]: z.output<Inputs[One]["body"]> & {
    readonly [Key in NonNullable<Subjects[One]>]: string;
  };
}[N];

type Routes = { [N in OperationName]: (typeof operations)[N]["route"] };
/** The operations by their routes. */
type Routed = { [N in OperationName as Routes[N]]: N };
type OperationEndpoints = {
  readonly [Path in keyof Routed]: Inputs[Routed[Path]] & {
    readonly access: "operator";
    readonly right: (typeof operations)[Routed[Path]]["right"];
  };
};

/** The endpoints of all operations. */
export const operationEndpoints = Object.fromEntries(
  operationNames.map((name) => {
    const { route, right } = operations[name];
    const { body, answer, status, refusals }: Words = operationInputs[name];
    return [route, { access: "operator", right, body, answer, status, refusals }];
  }),
) as unknown as OperationEndpoints;

/** An input as a proposal keeps it, in JSON: amounts as dollars, times as ISO 8601. Its reason is kept beside it. */
export function writeInput({ reason: _reason, ...input }: Readonly<Record<string, unknown>>): string {
  return JSON.stringify(input, (_key, value: unknown) => (typeof value === "bigint" ? toDecimalString(value) : value));
}

/** Reads an input in JSON: of a command, or of a proposal. @returns what is wrong with it in place of the input */
export function readInput<N extends OperationName>(
  name: N,
  written: unknown,
  reason: unknown,
): { readonly input: OperationInput<N> } | { readonly wrong: string } {
  if (typeof written !== "object" || written === null) return { wrong: "" };
  const { subject } = operations[name];
  const { body }: Words = operationInputs[name];
  const read = body.safeParse({ ...written, reason });
  if (!read.success) return { wrong: read.error.issues[0]?.message ?? "" };
  if (subject === null) return { input: read.data as OperationInput<N> };
  const about = (written as Readonly<Record<string, unknown>>)[subject];
  return typeof about === "string" ? { input: { ...read.data, [subject]: about } as OperationInput<N> } : { wrong: "" };
}
