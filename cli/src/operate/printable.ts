/** Text from a customer or a file in one line, without control characters: it must not control the operator's terminal. */
export function printable(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}]/gu, " ");
}
