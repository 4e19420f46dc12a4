import type { Reason } from "@farline/texts/reason.ts";
import { AppError } from "../../platform/app-error.ts";
import { isCommonPassword } from "./common-passwords.ts";

const PRODUCT = "farline";
const MIN_WORD_LENGTH = 3;
const MIN_REST_LENGTH = 8;

/**
 * Checks a new password beyond its length: both entries match, and it is neither derived from personal data nor common.
 * @throws AppError validation_failed with the message at the field
 */
export function checkNewPassword(
  wanted: { password: string; password_confirmation: string },
  person: { name: string; email: string },
): void {
  if (wanted.password !== wanted.password_confirmation) throw fieldError("password_confirmation", "passwords_differ");
  if (isMadeOfPersonalWords(wanted.password, person)) throw fieldError("password", "password_of_own_words");
  if (isCommonPassword(wanted.password)) throw fieldError("password", "password_common");
}

/**
 * Whether a password is derived from the product's, the customer's or the mailbox's name. It may contain such words if at
 * least 8 other characters remain.
 */
function isMadeOfPersonalWords(password: string, person: { name: string; email: string }): boolean {
  const mailbox = person.email.slice(0, person.email.lastIndexOf("@"));
  const words = [PRODUCT, mailbox, ...`${person.name} ${mailbox}`.split(/[^\p{L}\p{N}]+/u)]
    .map((word) => word.toLowerCase())
    .filter((word) => word.length >= MIN_WORD_LENGTH)
    .toSorted((a, b) => b.length - a.length);
  const lower = password.toLowerCase();
  const rest = words.reduce((text, word) => text.replaceAll(word, ""), lower);
  return rest !== lower && rest.length < MIN_REST_LENGTH;
}

function fieldError(field: string, reason: Reason): AppError {
  return new AppError("validation_failed", { reason, field });
}
