import { type NumberLibrary, useNumberLibrary, writeNumber } from "../../../text/phone-text.ts";
import { useCallIntent } from "../call/use-call-intent.ts";

/**
 * The numbering plans, loaded once a call seems intended. Until then the field accepts any text, and the service reads the
 * number by the same rules.
 * @param wanted load at once, because a number is already entered
 */
export function useDialLibrary(wanted = false): NumberLibrary | null {
  const intended = useCallIntent();
  return useNumberLibrary(intended || wanted);
}

/** Formats the numbers of a list, or returns them as stored until the numbering plans are loaded. */
export function useNumberText(): (number: string) => string {
  useDialLibrary();
  return writeNumber;
}
