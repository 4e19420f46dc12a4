import { AppError } from "../../platform/http/app-error.ts";
import { isCommonPassword } from "./common-passwords.ts";

const PRODUCT = "farline";
const LEAST_WORD = 3;
const LEAST_REST = 8;

/**
 * Checks a new password beyond its length: both entries match, and it is neither derived from personal data nor common.
 * @throws AppError validation_failed with the message at the field
 */
export function checkNewPassword(
  wanted: { password: string; password_confirmation: string },
  person: { name: string; email: string },
): void {
  if (wanted.password !== wanted.password_confirmation)
    throw fieldError("password_confirmation", "The two passwords are not the same.");
  if (isMadeOfOwnWords(wanted.password, person))
    throw fieldError("password", "Use a password that is not made of your name or email address.");
  if (isCommonPassword(wanted.password))
    throw fieldError("password", "Many people use this password, so it is easy to guess. Choose another one.");
}

/**
 * Whether a password is derived from the product's, the customer's or the mailbox's name. It may contain such words if at
 * least 8 other characters remain.
 */
function isMadeOfOwnWords(password: string, person: { name: string; email: string }): boolean {
  const mailbox = person.email.slice(0, person.email.lastIndexOf("@"));
  const words = [PRODUCT, mailbox, ...`${person.name} ${mailbox}`.split(/[^\p{L}\p{N}]+/u)]
    .map((word) => word.toLowerCase())
    .filter((word) => word.length >= LEAST_WORD)
    .toSorted((a, b) => b.length - a.length);
  const lower = password.toLowerCase();
  const rest = words.reduce((text, word) => text.replaceAll(word, ""), lower);
  return rest !== lower && rest.length < LEAST_REST;
}

function fieldError(field: string, message: string): AppError {
  return new AppError("validation_failed", message, { fields: { [field]: [message] } });
}
