const PRODUCT = "farline";
const LEAST_WORD = 3;
const LEAST_REST = 8;

/**
 * Whether a password is little more than the product's, the person's or the mailbox's name: what others try first.
 * Such words may be in it, as long as at least 8 other characters are.
 */
export function isMadeOfOwnWords(password: string, person: { name: string; email: string }): boolean {
  const mailbox = person.email.slice(0, person.email.lastIndexOf("@"));
  const words = [PRODUCT, mailbox, ...`${person.name} ${mailbox}`.split(/[^\p{L}\p{N}]+/u)]
    .map((word) => word.toLowerCase())
    .filter((word) => word.length >= LEAST_WORD)
    .toSorted((a, b) => b.length - a.length);
  const lower = password.toLowerCase();
  const rest = words.reduce((text, word) => text.replaceAll(word, ""), lower);
  return rest !== lower && rest.length < LEAST_REST;
}
