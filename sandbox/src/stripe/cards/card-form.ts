import { findTestCard, type TestCard } from "./test-cards.ts";

/** A validated card form. */
export interface CardEntry {
  card: TestCard;
  expMonth: number;
  expYear: number;
  name: string | null;
  email: string | null;
  postalCode: string | null;
}

export interface CardForm {
  email: string;
  number: string;
  expiry: string;
  cvc: string;
  name: string;
  zip: string;
  terms: string;
}
export type CardField = keyof CardForm;
export type CardErrors = Partial<Record<CardField, string>>;

/** The fields that the shop requires besides the card. */
export interface CardNeeds {
  email: boolean;
  /** The postal code stands for the whole billing address. */
  zip: boolean;
  terms: boolean;
}

export const EMPTY_FORM: CardForm = { email: "", number: "", expiry: "", cvc: "", name: "", zip: "", terms: "" };

const MAX_LENGTHS: Readonly<Record<CardField, number>> = {
  email: 254,
  number: 32,
  expiry: 9,
  cvc: 6,
  name: 100,
  zip: 12,
  terms: 4,
};
const LATEST_YEARS_AHEAD = 50;

/** Reads the fields of a decoded body; missing and overlong ones become empty. */
export function readCardForm(body: Readonly<Record<string, unknown>>): CardForm {
  const form = { ...EMPTY_FORM };
  for (const name of Object.keys(form) as CardField[]) {
    const value = body[name];
    if (typeof value === "string" && value.length <= MAX_LENGTHS[name]) form[name] = value.trim();
  }
  return form;
}

/** Validates a card form. Only the published test numbers pass, so that a real card is never accepted or stored. */
export function checkCardForm(
  form: CardForm,
  facts: { now: Date; needs: CardNeeds },
): { ok: true; entry: CardEntry } | { ok: false; errors: CardErrors } {
  const { needs } = facts;
  const card = findTestCard(form.number.replace(/[\s-]/g, ""));
  const expiry = readExpiry(form.expiry, facts.now);
  const errors: CardErrors = {
    ...(needs.email && !/^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(form.email) && { email: "Enter your e-mail address." }),
    ...(form.number === "" ? { number: "Enter the card number." } : !card && { number: "Your card number is incorrect." }),
    ...(typeof expiry === "string" && { expiry }),
    ...(!/^\d{3}$/.test(form.cvc) && { cvc: "Enter the 3 digits on the back of the card." }),
    ...(form.name === "" && { name: "Enter the name on the card." }),
    ...zipError(form.zip, needs.zip),
    ...(needs.terms && form.terms !== "on" && { terms: "Agree to the terms to continue." }),
  };
  if (!card || typeof expiry === "string" || Object.keys(errors).length > 0) return { ok: false, errors };
  const postalCode = form.zip === "" ? null : form.zip;
  return { ok: true, entry: { card, ...expiry, name: form.name, email: needs.email ? form.email : null, postalCode } };
}

function zipError(zip: string, needed: boolean): CardErrors {
  if (zip === "") return needed ? { zip: "Enter the ZIP or postal code of the card's owner." } : {};
  return /^[A-Za-z0-9][A-Za-z0-9 -]{1,10}$/.test(zip) ? {} : { zip: "This is not a ZIP or postal code." };
}

/** Parses "12 / 34" or "12/2034"; returns an error message if invalid. A card is valid to the end of its month. */
function readExpiry(text: string, now: Date): { expMonth: number; expYear: number } | string {
  const match = /^(\d{1,2})\s*[/\-. ]?\s*(\d{4}|\d{2})$/.exec(text);
  if (!match) return "Enter the expiry date as month and year, like 12 / 34.";
  const expMonth = Number(match[1]);
  const expYear = Number(match[2]) < 100 ? 2000 + Number(match[2]) : Number(match[2]);
  return expiryProblem({ expMonth, expYear }, now) ?? { expMonth, expYear };
}

/** An error message for a date that is in the past, too far ahead or impossible; else null. */
export function expiryProblem({ expMonth, expYear }: { expMonth: number; expYear: number }, now: Date): string | null {
  if (expMonth < 1 || expMonth > 12) return "The month must be between 01 and 12.";
  const monthsLeft = (expYear - now.getUTCFullYear()) * 12 + (expMonth - 1 - now.getUTCMonth());
  if (monthsLeft < 0) return "This date is in the past.";
  if (expYear > now.getUTCFullYear() + LATEST_YEARS_AHEAD) return "This date is too far in the future.";
  return null;
}
