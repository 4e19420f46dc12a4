import { type NumberLibrary, useNumberLibrary, writeNumber } from "../../../text/phone-text.ts";
import { useCallMeant } from "../call/use-call-meant.ts";

/**
 * The numbering plans, once a call is meant. Until they are there the field takes any text and the service reads the number
 * by the same rules.
 * @param wanted a number is there already and waits to be read
 */
export function useDialLibrary(wanted = false): NumberLibrary | null {
  const meant = useCallMeant();
  return useNumberLibrary(meant || wanted);
}

/** A way to write the numbers of a list: as they are stored until the numbering plans are there. */
export function useNumberText(): (number: string) => string {
  useDialLibrary();
  return writeNumber;
}
