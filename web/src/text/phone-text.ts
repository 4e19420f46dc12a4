import { leftToRight } from "./i18n.ts";
import { numberLibrary, useLibrary } from "./libraries.ts";

/** Suffix of the shortened number of an old call. */
const SHORTENED = "*";

/** Whether the number of an old call was shortened: it can no longer be dialled. */
export function isShortened(number: string): boolean {
  return number.endsWith(SHORTENED);
}

/** A number with spaces, "+233 20 000 0142", or as stored while the numbering plans are loading. */
export function writeNumber(e164: string): string {
  const loaded = numberLibrary.loaded();
  return loaded === null || isShortened(e164) ? writeStored(e164) : leftToRight(loaded.formatInternational(e164));
}

/** A number as it is stored; the shortened number of an old call ends with dots: "+23320…". */
function writeStored(number: string): string {
  return leftToRight(isShortened(number) ? `${number.slice(0, -SHORTENED.length)}…` : number);
}

/** Returns a number formatter and starts loading the numbering plans. The formatter is replaced once they are loaded. */
export function usePhoneText(): (e164: string) => string {
  return useLibrary(numberLibrary, true) === null ? writeStored : writeNumber;
}
