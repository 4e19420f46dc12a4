/** Most digits that the phone sends in one command. */
export const LONGEST_EXTENSION = 32;
/** Time for a switchboard to pick up before the first digit of an extension written without pauses: two commas, 4 s. */
const USUAL_PAUSE = ",,";

/** "ext. 12", "x12", ";ext=12" (RFC 3966) after a number. */
const NAMED = /[\s;,]*(?:ext(?:ension)?|x)[\s.:=]*(?<digits>\d[\d*#,]*)\s*$/iu;
/** Pauses after a number: commas, and the letters p and w of address books. */
const PAUSED = /^(?<number>[^,;]*\d[^,;]*?)\s*(?<rest>[,;].*|(?<=\d\s*)[pw][\d\s*#,;pw]*)$/iu;

/** A number with its extension for people to read, "+44 20 7946 0001 ext. 12". Reads back through `splitExtension`. */
export function withExtension(number: string, extension: string): string {
  const named = /^,,(\d[\d*#,]*)$/.exec(extension)?.[1];
  return named === undefined ? number + extension : `${number} ext. ${named}`;
}

/** Splits a number from its extension; "" without one. Removes the "tel:" of a link. */
export function splitExtension(typed: string): { number: string; extension: string } {
  const text = typed.replace(/^\s*tel:/iu, "");
  const named = NAMED.exec(text);
  if (named !== null && /\d/.test(text.slice(0, named.index)))
    return { number: text.slice(0, named.index), extension: cleanExtension(USUAL_PAUSE + (named.groups?.["digits"] ?? "")) };
  const paused = PAUSED.exec(text);
  if (paused === null) return { number: text, extension: "" };
  return { number: paused.groups?.["number"] ?? text, extension: cleanExtension(paused.groups?.["rest"] ?? "") };
}

/** The digits, * and # of a text, with a comma for each pause. */
export function cleanExtension(text: string): string {
  return text
    .replace(/[;pw]/giu, ",")
    .replace(/[^\d*#,]/g, "")
    .slice(0, LONGEST_EXTENSION);
}
