/** The typed amount in the service's format; null for no limit. Accepts a decimal comma. */
export function typedAmount(typed: string): string | null {
  const text = typed.trim().replace(/,(?=\d{1,2}$)/, ".");
  return text === "" ? null : text;
}
