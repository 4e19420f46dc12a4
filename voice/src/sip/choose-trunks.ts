/** How many digits of the number a trunk's best prefix covers; null when it does not take the number. */
function coverage(prefixes: readonly string[] | undefined, number: string): number | null {
  if (prefixes === undefined || prefixes.length === 0) return 0;
  const digits = number.replace(/^\+/, "");
  const matching = prefixes.map((prefix) => prefix.replace(/^\+/, "")).filter((prefix) => digits.startsWith(prefix));
  return matching.length === 0 ? null : Math.max(...matching.map((prefix) => prefix.length));
}

/** The trunks that take an E.164 number: longest prefix first, then in the order of the configuration. */
export function chooseTrunks<T extends { readonly prefixes?: readonly string[] }>(trunks: readonly T[], number: string): T[] {
  return trunks
    .map((trunk) => ({ trunk, covered: coverage(trunk.prefixes, number) }))
    .filter((each): each is { trunk: T; covered: number } => each.covered !== null)
    .sort((a, b) => b.covered - a.covered)
    .map((each) => each.trunk);
}
