import type { OperationInput } from "@farline/contract/operator/operation-inputs.ts";
import { operations, type OperationName } from "@farline/contract/operator/operations.ts";
import { formatDollars, type Micros } from "@farline/domain/money.ts";
import { printableLine } from "@farline/domain/clean-text.ts";
import { perform, type ResultOf } from "@farline/server/operations/operations.ts";
import { resultOf, type InvitationLink } from "@farline/server/operator/operator.ts";
import { definitionOf, writeValue } from "@farline/server/settings/settings.ts";
import { print } from "./commands.ts";
import { CommandError } from "./installation.ts";
import { asOperator } from "./open-context.ts";

/** Performs an operation as the operator who is signed in on this command line, and prints what was done. */
export async function operate<N extends OperationName>(name: N, input: OperationInput<N>): Promise<void> {
  const { right } = operations[name];
  const result = resultOf(await asOperator(process.env, right, (ctx) => perform(ctx, name, input)));
  printDone(name, result);
}

/** Prints what an operation did, or what its confirmation did. @throws CommandError if the payment provider refused it */
export function printDone<N extends OperationName>(name: N, result: ResultOf<N>): void {
  const text: (result: ResultOf<N>) => string = DONE[name];
  print(text(result));
}

const dollars = (micros: Micros) => `$${formatDollars(micros, 6)}`;

/** What the command line says about each operation's result. */
const DONE: { readonly [N in OperationName]: (result: ResultOf<N>) => string } = {
  "hang-up": ({ length }) =>
    length === 0
      ? "There is no such live call."
      : `${length === 1 ? "1 call is" : `${length} calls are`} hung up within seconds.`,
  freeze: (changed) => (changed ? "The account is frozen. Its calls end within 10 seconds." : "The account was frozen already."),
  unfreeze: (changed) => (changed ? "The account is unfrozen." : "The account was not frozen."),
  "set-term": (until) =>
    until === null ? "What the customer has earned applies again." : `It applies until ${until.toISOString()}.`,
  "end-sessions": () => "The customer is signed out everywhere.",
  "confirm-address": (changed) => (changed ? "The address is confirmed." : "The address was confirmed already."),
  "resend-verification": (sent) => (sent ? "The link is on its way." : "The address was confirmed already."),
  adjust: (micros) => `${dollars(micros)} was added to the customer's credit.`,
  deduct: (micros) => `${dollars(micros)} was deducted from the customer's credit.`,
  "write-off": (micros) => (micros === 0n ? "The customer owes nothing." : `${dollars(micros)} was written off.`),
  refund: refundText,
  "refund-call": ({ request }) => `${dollars(request.amount_micros)} was returned to the customer's account.`,
  "decline-call-refund": () => "The request was declined.",
  "answer-case": () => "The answer is on its way to the customer.",
  "close-case": () => "The question is closed.",
  "activate-deck": activationText,
  "create-promo": (made) => `${made.code} is created: ${offerOf(made)}.`,
  "end-promo": ({ code, uses }) => `${code} has ended. ${uses} top-ups used it.`,
  "set-setting": ({ name, value, valid_from: from }) =>
    [
      `${name} is ${writeValue(definitionOf(name), value)} from ${from.toISOString()}. Running services take it within a minute.`,
      ...(name.startsWith("mark-up.")
        ? ["Prices follow from it when a price list is imported: import the list in force again."]
        : []),
    ].join("\n"),
  "invite-operator": linkText,
  "renew-invitation": linkText,
  "change-role": (role) => `The role is now ${role}.`,
  "end-operator-sessions": () => "All sessions have ended.",
  "remove-operator": () => "The operator is removed.",
};

/** Without a link, another administrator has confirmed it. */
export function linkText(link: InvitationLink | null): string {
  return link === null
    ? "It is done. Its proposer alone can fetch the link, once: operator fetch-link <mail>."
    : `Open this link before ${link.expiresAt.toISOString()} to set up the sign-in. It works once.\n${link.url}`;
}

function refundText({ status, failure, amount_micros: micros, origin }: ResultOf<"refund">): string {
  const told = {
    ordered: "It is sent as soon as the provider answers.",
    pending: "The bank is processing it.",
    succeeded: "It is on its way.",
  };
  if (status === "failed")
    throw new CommandError(`The provider refused: ${failure ?? "no reason given"}. The credit is back on the account.`);
  const amount = `$${formatDollars(micros)}`;
  return origin === "outside" ? `${amount} recorded as paid outside.` : `${amount} go back to the card. ${told[status]}`;
}

export function activationText({ deck, effectiveAt, next }: ResultOf<"activate-deck">): string {
  const owner = deck.trunk === null ? "" : ` for trunk ${printableLine(deck.trunk)}`;
  const text = `${printableLine(deck.name)} is in force${owner} from ${effectiveAt.toISOString()}. Running services take it within a minute.`;
  if (next === null) return text;
  const follows = next.effectiveAt.toISOString();
  return `${text}\n${printableLine(next.name)} follows on ${follows}. To prevent that: \`decks activate ${deck.id} --at ${follows}\`.`;
}

/** What a campaign gives. */
export function offerOf(one: ResultOf<"create-promo">): string {
  const fixed = one.bonus_micros === null ? "" : `$${formatDollars(one.bonus_micros)}`;
  const bonus = one.bonus_percent === null ? fixed : `${one.bonus_percent} %${fixed === "" ? "" : `, at most ${fixed}`}`;
  const min = one.least_micros === 0n ? "" : ` from $${formatDollars(one.least_micros)}`;
  return `${bonus}${min}${one.package_id === null ? "" : ` with package ${one.package_id}`}`;
}
