/** Maximum length of the list: ten years. */
const MAX_MONTHS = 120;

/** The months from the last back to the first, both included. @param first "2026-05" */
export function monthsBetween(first: string, last: string): string[] {
  const months: string[] = [];
  let [year = 0, month = 0] = last.split("-").map(Number);
  while (months.length < MAX_MONTHS) {
    const name = `${year}-${String(month).padStart(2, "0")}`;
    if (name < first) break;
    months.push(name);
    month -= 1;
    if (month === 0) {
      month = 12;
      year -= 1;
    }
  }
  return months;
}
