import { findTestCard } from "./test-cards.ts";
import type { CardEntry } from "./build-payment.ts";

export interface CardForm {
  email: string;
  number: string;
  expiry: string;
  cvc: string;
  name: string;
}
export type CardField = keyof CardForm;
export type CardErrors = Partial<Record<CardField, string>>;

const MAX_LENGTHS: Readonly<Record<CardField, number>> = { email: 254, number: 32, expiry: 9, cvc: 6, name: 100 };
const LATEST_YEARS_AHEAD = 50;

/** Takes the form's fields out of a decoded body; what is missing or too long reads as empty. */
export function readCardForm(body: Readonly<Record<string, unknown>>): CardForm {
  const field = (name: CardField) => {
    const value = body[name];
    return typeof value === "string" && value.length <= MAX_LENGTHS[name] ? value.trim() : "";
  };
  return { email: field("email"), number: field("number"), expiry: field("expiry"), cvc: field("cvc"), name: field("name") };
}

/**
 * Checks what was typed. Only the published test numbers pass: a real card is never taken, kept or shown again.
 * @param needsEmail true when the session came without an e-mail address.
 */
export function checkCardForm(
  form: CardForm,
  facts: { now: Date; needsEmail: boolean },
): { ok: true; entry: CardEntry } | { ok: false; errors: CardErrors } {
  const card = findTestCard(form.number.replace(/[\s-]/g, ""));
  const expiry = readExpiry(form.expiry, facts.now);
  const errors: CardErrors = {
    ...(facts.needsEmail && !/^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(form.email) && { email: "Enter your e-mail address." }),
    ...(form.number === "" ? { number: "Enter the card number." } : !card && { number: "Your card number is incorrect." }),
    ...(typeof expiry === "string" && { expiry }),
    ...(!/^\d{3}$/.test(form.cvc) && { cvc: "Enter the 3 digits on the back of the card." }),
    ...(form.name === "" && { name: "Enter the name on the card." }),
  };
  if (!card || typeof expiry === "string" || Object.keys(errors).length > 0) return { ok: false, errors };
  return { ok: true, entry: { card, ...expiry, name: form.name, email: facts.needsEmail ? form.email : null } };
}

/** "12 / 34" or "12/2034"; a sentence when it cannot be. A card is good to the end of its month. */
function readExpiry(text: string, now: Date): { expMonth: number; expYear: number } | string {
  const match = /^(\d{1,2})\s*[/\-. ]?\s*(\d{4}|\d{2})$/.exec(text);
  if (!match) return "Enter the expiry date as month and year, like 12 / 34.";
  const expMonth = Number(match[1]);
  const expYear = Number(match[2]) < 100 ? 2000 + Number(match[2]) : Number(match[2]);
  if (expMonth < 1 || expMonth > 12) return "The month must be between 01 and 12.";
  const monthsLeft = (expYear - now.getUTCFullYear()) * 12 + (expMonth - 1 - now.getUTCMonth());
  if (monthsLeft < 0) return "This date is in the past.";
  if (expYear > now.getUTCFullYear() + LATEST_YEARS_AHEAD) return "This date is too far in the future.";
  return { expMonth, expYear };
}
