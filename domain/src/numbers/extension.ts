/** Most digits that the phone sends in one command. */
export const LONGEST_EXTENSION = 32;
/** Time for a switchboard to pick up before the first digit of an extension written without pauses: two commas, 4 s. */
const USUAL_PAUSE = ",,";

/** A number with its extension for people to read, "+44 20 7946 0001 ext. 12". Reads back through `readNumberText`. */
export function withExtension(number: string, extension: string): string {
  const named = /^,,(\d[\d*#,]*)$/.exec(extension)?.[1];
  return named === undefined ? number + extension : `${number} ext. ${named}`;
}

/** The digits, * and # of a text, with a comma for each pause. */
export function cleanExtension(text: string): string {
  return text
    .replace(/[;pw]/giu, ",")
    .replace(/[^\d*#,]/g, "")
    .slice(0, LONGEST_EXTENSION);
}

/** An extension that was written without pauses. */
export function usualPause(extension: string): string {
  return extension === "" ? "" : (USUAL_PAUSE + extension).slice(0, LONGEST_EXTENSION);
}
