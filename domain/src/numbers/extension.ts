/** No longer one is stored with a number. */
export const MAX_EXTENSION_LENGTH = 32;
/** Gives a switchboard 4 s to answer before the extension is sent. */
const DEFAULT_PAUSE = ",,";

/** Formats a number with its extension, "+44 20 7946 0001 ext. 12", which `readNumberText` parses. */
export function withExtension(number: string, extension: string): string {
  const named = /^,,(\d[\d*#,]*)$/.exec(extension)?.[1];
  return named === undefined ? number + extension : `${number} ext. ${named}`;
}

/** Reduces a text to digits, * and #, with a comma for each pause. */
export function cleanExtension(text: string): string {
  return text.replace(/[;pw]/giu, ",").replace(/[^\d*#,]/g, "");
}

/** An extension as it stands behind a number: with the pauses that it has, and at least one. */
export function behindNumber(extension: string): string {
  return /^[^,]/.test(extension) ? `,${extension}` : extension;
}

/** Adds a pause before an extension that was written without one. */
export function withDefaultPause(extension: string): string {
  return extension === "" ? "" : DEFAULT_PAUSE + extension;
}

/**
 * The number that a leg dialled, in E.164. It may be given as a SIP URI and without the plus.
 * @returns null for anything else
 */
export function dialledNumber(to: string | null): string | null {
  const match = /^(?:sips?:)?\+?([1-9]\d{5,14})(?:[@;].*)?$/i.exec(to ?? "");
  return match === null ? null : `+${match[1]}`;
}
