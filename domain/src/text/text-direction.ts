import { writing, type Language } from "../languages.ts";

/** Characters that isolate a part of a text, and what ends it (Unicode UAX #9 §2.4). Unlike an element, they also work inside a translated sentence. */
export const LEFT_TO_RIGHT_ISOLATE = "\u2066";
export const RIGHT_TO_LEFT_ISOLATE = "\u2067";
const FIRST_STRONG_ISOLATE = "\u2068";
export const POP_DIRECTIONAL_ISOLATE = "\u2069";
const ISOLATES = /[\u2066-\u2069]/g;

/** Hebrew to Arabic, their presentation forms, and the old scripts and modern alphabets beyond the first plane. */
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;
const LEFT_TO_RIGHT = /[A-Za-z\u00c0-\u058f\u0900-\u1fff\u2c00-\ufb17]/;

/** Whether a text has letters that are written from right to left. */
export function isRightToLeft(text: string): boolean {
  return RIGHT_TO_LEFT.test(text);
}

/** Keeps a phone number or a timer in left-to-right order inside right-to-left text. */
export function isolateNumber(text: string, language: Language): string {
  return writing[language].direction === "rtl" ? LEFT_TO_RIGHT_ISOLATE + text + POP_DIRECTIONAL_ISOLATE : text;
}

/** A text in the order of its own letters, whatever surrounds it. */
export function isolate(text: string): string {
  return FIRST_STRONG_ISOLATE + text + POP_DIRECTIONAL_ISOLATE;
}

/**
 * Keeps a name or an address in letters of the other direction in its own order inside a sentence: without it, Arabic text shows
 * "24h Taxi (Anna)" with its number and its bracket elsewhere.
 */
export function isolateForeign(text: string, language: Language): string {
  const foreign = writing[language].direction === "rtl" ? LEFT_TO_RIGHT : RIGHT_TO_LEFT;
  return foreign.test(text) ? isolate(text) : text;
}

/** A text without isolates: for one that is isolated as a whole, or laid out by us. */
export function withoutIsolates(text: string): string {
  return text.replace(ISOLATES, "");
}
