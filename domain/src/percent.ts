const MILLIPERCENT_OF_ONE = 1000;
const MOST_PERCENT = 100;

/** "8.875" as 8875; null when it is not a percentage below 100 with at most three decimals. */
export function parsePercent(text: string): number | null {
  const match = /^(\d{1,2})(?:\.(\d{1,3}))?$/.exec(text);
  if (match === null) return null;
  const [, whole = "", decimals = ""] = match;
  const millipercent = Number(whole) * MILLIPERCENT_OF_ONE + Number(decimals.padEnd(3, "0"));
  return millipercent < MOST_PERCENT * MILLIPERCENT_OF_ONE ? millipercent : null;
}
