import type { contactChangeRequest, contactRequest } from "@farline/contract/contacts.ts";
import { detailNames, MAX_NUMBERS_PER_CONTACT } from "@farline/domain/contacts/contact-details.ts";
import { withExtension } from "@farline/domain/numbers/extension.ts";
import type { z } from "zod";
import { AppError } from "../platform/app-error.ts";
import type { ContactRow, NumberFacts } from "./contacts.tables.ts";

type ContactInput = z.output<typeof contactRequest>;
type NumberInput = Pick<ContactInput, "phone_number" | "phone_number_type" | "country_code">;

const TEXTS = ["first_name", "last_name", ...detailNames, "email", "notes"] as const;

/**
 * A change without what it only repeats: that stays as it is stored, because another page may have changed it since this one showed it.
 * Of two changes to one text, the later one stays.
 * @throws AppError validation_failed if both together have too many numbers
 */
export function mergeChange({ seen, ...input }: z.output<typeof contactChangeRequest>, stored: ContactRow): ContactInput {
  if (seen === undefined) return input;
  const kept = Object.fromEntries(TEXTS.filter((name) => input[name] === seen[name]).map((name) => [name, stored[name]]));
  const [main, ...others] = stored.numbers;
  const merged = { ...input, ...kept, ...(isSame(input, seen) ? typed(main) : {}) };
  if (input.other_numbers === undefined) return merged;
  return { ...merged, other_numbers: mergeNumbers(input.other_numbers, seen.other_numbers ?? [], others.map(typed)) };
}

function mergeNumbers(
  given: readonly NumberInput[],
  seen: readonly NumberInput[],
  stored: readonly NumberInput[],
): NumberInput[] {
  const isIn = (list: readonly NumberInput[], number: NumberInput) => list.some((one) => isSame(one, number));
  const isRemoved = (number: NumberInput) => isIn(seen, number) && !isIn(stored, number);
  const added = stored.filter((number) => !isIn(seen, number) && !isIn(given, number));
  const merged = [...given.filter((number) => !isRemoved(number)), ...added];
  if (merged.length < MAX_NUMBERS_PER_CONTACT) return merged;
  throw new AppError("validation_failed", {
    reason: "contact_numbers_full",
    params: { max: MAX_NUMBERS_PER_CONTACT },
    field: "other_numbers",
  });
}

function isSame(one: NumberInput, other: NumberInput): boolean {
  return one.phone_number === other.phone_number && one.phone_number_type === other.phone_number_type;
}

/** A stored number as the form of a contact shows it. */
function typed({ phone_number, extension, phone_number_type }: NumberFacts): NumberInput {
  return { phone_number: withExtension(phone_number, extension), phone_number_type, country_code: null };
}
