import { directionOf } from "./language.ts";
import { i18n } from "./i18n.ts";

const LEFT_TO_RIGHT_ISOLATE = "\u2066";
const POP_DIRECTIONAL_ISOLATE = "\u2069";

/**
 * Keeps a figure (a phone number, a price, a timer) in its left-to-right order inside right-to-left text, also within a
 * sentence of a catalogue, where no element can be put around it (Unicode UAX #9, isolates).
 */
export function leftToRight(text: string): string {
  return directionOf(i18n.language) === "ltr" ? text : `${LEFT_TO_RIGHT_ISOLATE}${text}${POP_DIRECTIONAL_ISOLATE}`;
}
