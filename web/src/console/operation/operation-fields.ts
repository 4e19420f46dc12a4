import { operationInputs } from "@farline/contract/operator/operation-inputs.ts";
import { declarationOf, type OperationName } from "@farline/contract/operator/operations.ts";
import type { OperatorRole } from "@farline/contract/operator/rights.ts";
import { freezeWords } from "@farline/contract/operator/words/words.ts";
import { instant, typedDollars } from "@farline/contract/values.ts";
import { dollarsToSend } from "@farline/domain/typed/typed-dollars.ts";

/** A field of a form, and how what is typed is sent. */
export interface FormField {
  readonly name: string;
  readonly kind: "text" | "email" | "long" | "money" | "number" | "time" | "check" | "choice";
  readonly label: string;
  readonly hint?: string;
  readonly choices?: readonly (readonly [value: string, text: string])[];
  /** What to say while it is empty; null if it may be. */
  readonly needed: string | null;
  /** What is sent for an empty field that may be empty. */
  readonly empty?: null;
}

/** Kept in the audit log. */
export const REASON: FormField = {
  name: "reason",
  kind: "text",
  label: "Reason",
  hint: "Kept in the audit log.",
  needed: "Enter a reason.",
};

/** What a form sends by itself: guards against the same movement twice, and whether a review is meant. */
const GUARDS = ["key", "again", "ofReview"];

const ROLES: Readonly<Record<OperatorRole, string>> = {
  support: "support: read, freeze, answer, small refunds",
  finance: "finance: also money, exports and the audit log",
  admin: "admin: also decks, settings and operators",
};

type Words = Pick<FormField, "label" | "hint" | "choices"> &
  Partial<Pick<FormField, "needed">> & { readonly kind?: "email" | "long" };

/** What operators read at a field, by its name in the inputs and by the subjects that they type. */
const WORDS: Readonly<Record<string, Words>> = {
  answer: { label: "Message to the customer", kind: "long", needed: "Write a message to the customer." },
  because: { label: "Reason shown to the customer", choices: Object.entries(freezeWords) },
  name: { label: "Name" },
  email: { label: "Email", kind: "email" },
  role: { label: "Role", choices: Object.entries(ROLES) },
  as: {
    label: "What was done at the payment provider",
    choices: [
      ["answered", "Answered, with evidence: the bank decides"],
      ["accepted", "Accepted: the money is lost"],
    ],
  },
  amount: { label: "Amount" },
  force: { label: "Record what is already spent as debt" },
  outside: { label: "Reference of a transfer made outside" },
  at: { label: "Active from (UTC)", hint: "Leave empty to activate it now." },
  days: { label: "Days to compare" },
  value: { label: "New value" },
  from: { label: "From (UTC)", hint: "Leave empty to change it now." },
  code: { label: "Code" },
  number: { label: "Number", hint: "With + and its country code." },
  percent: { label: "Bonus in percent", hint: "Either a percentage or a fixed bonus." },
  fixedMicros: { label: "Fixed bonus" },
  maxBonusMicros: { label: "Maximum bonus per top-up", hint: "For a percentage." },
  packageId: { label: "Package", hint: "The id of a package whose top-ups get it; allows only a fixed bonus." },
  minMicros: { label: "Least top-up" },
  maxUses: { label: "Most uses" },
  budgetMicros: { label: "Budget" },
  startsAt: { label: "Starts (UTC)", hint: "Leave empty to start it now." },
  endsAt: { label: "Ends (UTC)" },
};

/** The parts of a schema that a field is made from. */
interface Schema {
  readonly def: {
    readonly type: string;
    readonly innerType?: Schema;
    readonly in?: Schema;
    readonly entries?: Readonly<Record<string, string>>;
  };
}

/** The fields of an operation's form, as its input declares them: its subject, if the operator types it, and what is not known yet. */
export function fieldsOf(operation: OperationName, typesSubject: boolean, known: readonly string[]): FormField[] {
  const { subject } = declarationOf(operation);
  const shape: Readonly<Record<string, Schema>> = operationInputs[operation].body.shape;
  const isAsked = (name: string, schema: Schema) => !known.includes(name) && !GUARDS.includes(name) && !isFixed(schema);
  return [
    ...(typesSubject && subject !== null ? [fieldOf(subject, { def: { type: "string" } })] : []),
    ...Object.entries(shape).flatMap(([name, schema]) => (isAsked(name, schema) ? [fieldOf(name, schema)] : [])),
  ];
}

function isFixed({ def: { type, innerType } }: Schema): boolean {
  return innerType === undefined ? type === "literal" : isFixed(innerType);
}

/** Whether an operation moves money, so that the same is asked for twice before it is done twice. */
export function isGuarded(operation: OperationName): boolean {
  return "key" in operationInputs[operation].body.shape;
}

function fieldOf(name: string, schema: Schema): FormField {
  // Where a customer has asked for it, the form does not ask for a reason; elsewhere it always does.
  if (name === REASON.name) return REASON;
  const words = WORDS[name];
  if (words === undefined) throw new Error(`No words for the field ${name}.`);
  const { type, innerType } = schema.def;
  if (innerType !== undefined && type === "nullable") return { ...optional(fieldOf(name, innerType)), empty: null };
  if (innerType !== undefined) return optional(fieldOf(name, innerType));
  const kind = words.kind ?? kindOf(name, schema);
  if (kind === "choice" && words.choices === undefined) throw new Error(`No choices for the field ${name}.`);
  return { needed: `Fill in: ${words.label}.`, ...words, name, kind };
}

function optional(field: FormField): FormField {
  return { ...field, needed: null, label: `${field.label} (optional)` };
}

function kindOf(name: string, schema: Schema): FormField["kind"] {
  if (schema === (typedDollars as Schema)) return "money";
  if (schema === (instant as Schema)) return "time";
  const { type, in: read } = schema.def;
  if (type === "enum") return "choice";
  if (type === "number") return "number";
  if (type === "boolean") return "check";
  if (type === "string") return "text";
  if (type === "pipe" && read !== undefined) return kindOf(name, read);
  throw new Error(`No field for ${name}, of ${type}.`);
}

/** What was typed, as the service reads it. */
export function bodyOf(fields: readonly FormField[], typed: Readonly<Record<string, string | boolean>>): Record<string, unknown> {
  return Object.fromEntries(fields.map((field) => [field.name, valueOf(field, typed[field.name] ?? "")]));
}

function valueOf({ kind, empty }: FormField, typed: string | boolean): unknown {
  if (typeof typed === "boolean") return typed;
  const text = typed.trim();
  if (text === "") return empty;
  if (kind === "money") return dollarsToSend(text);
  if (kind === "number") return Number(text);
  return kind === "time" ? new Date(`${text}Z`).toISOString() : text;
}
