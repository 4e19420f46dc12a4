const MILLIPERCENT_OF_ONE = 1000;
const MAX_PERCENT = 100;

/** Parses "8.875" as 8875; null if it is not a percentage below 100 with at most three decimals. */
export function parsePercent(text: string): number | null {
  const match = /^(\d{1,2})(?:\.(\d{1,3}))?$/.exec(text);
  if (match === null) return null;
  const [, whole = "", decimals = ""] = match;
  const millipercent = Number(whole) * MILLIPERCENT_OF_ONE + Number(decimals.padEnd(3, "0"));
  return millipercent < MAX_PERCENT * MILLIPERCENT_OF_ONE ? millipercent : null;
}
