import { countryByCode } from "@farline/domain/countries/countries.ts";
import type { NormalizedNumber } from "@farline/domain/numbers/phone-number.ts";
import { type RefObject, useLayoutEffect, useState } from "react";
import type { NumberLibrary } from "../../../text/phone-text.ts";
import { deleteBack, insertKey, reformatEdit, type NumberEdit } from "./edit-number.ts";
import { splitExtension } from "./extension.ts";
import { groupNumber } from "./group-number.ts";
import { useDialLibrary } from "./use-dial-library.ts";
import { useLastCountry } from "./use-last-country.ts";
import { type ExtensionEntry, useExtension } from "./use-extension.ts";

export interface NumberEntry {
  /** As it stands in the field. */
  text: string;
  countryCode: string;
  /** The number read by the rules that also charge it; null while the numbering plans are not loaded. */
  number: NormalizedNumber | null;
  /** Who is called, when the number came with a name; a number typed by hand has none. */
  name: string | null;
  extension: ExtensionEntry;
  onType(text: string, caret: number): void;
  press(key: string): void;
  deleteLast(): void;
  clear(): void;
  chooseCountry(countryCode: string): void;
  /** Puts a whole number into the field, for example of an earlier call; whatever follows it becomes the extension. */
  enter(filled: FilledNumber): void;
}

export interface FilledNumber {
  number: string;
  /** The number's own country decides when null. */
  countryCode?: string | null;
  name?: string | null;
}

/** What is typed, pasted or pressed into the field `input`, grouped for the eye, with its country. `onEdit`: by hand. */
export function useNumberEntry(input: RefObject<HTMLInputElement | null>, onEdit: () => void): NumberEntry {
  const [countryCode, setCountryCode] = useLastCountry();
  const [edit, setEdit] = useState<NumberEdit>({ text: "", caret: 0 });
  const library = useDialLibrary(edit.text !== "");
  const [name, setName] = useState<string | null>(null);
  const [readWith, setReadWith] = useState(library);
  useCaret(input, edit);

  const { text } = edit;
  const put = (before: string, after: NumberEdit, country: string): void => {
    setCountryCode(country);
    setEdit(reformatEdit(before, after, (typed) => grouped(library, typed, country)));
  };
  const show = (before: string, after: NumberEdit, country: string): void => {
    onEdit();
    put(before, after, country);
  };
  const number = library === null ? null : library.normalizeNumber(text, countryCode);
  const extension = useExtension(number?.ok === true ? number.e164 : null);
  const change = (before: string, after: NumberEdit): void => {
    setName(null);
    const split = splitExtension(after.text);
    const pauseOnly = /^,*$/.test(split.extension);
    if (!pauseOnly || (split.extension !== "" && extension.text === null)) extension.change(split.extension);
    else if (after.text === "") extension.reset();
    const { number: kept } = split;
    show(before, { text: kept, caret: Math.min(after.caret, kept.length) }, countryOf(library, kept, countryCode));
  };
  if (library !== readWith) {
    // What was typed before the numbering plans came is read by them now.
    setReadWith(library);
    if (text !== "") put("", { text, caret: text.length }, countryOf(library, text, countryCode));
  }
  return {
    text,
    countryCode,
    number,
    name,
    extension,
    onType: (typed, caret) => change(text, { text: typed, caret }),
    press: (key) => change(text, insertKey(text, selectionOf(input.current, text), key)),
    deleteLast: () => change(text, deleteBack(text, selectionOf(input.current, text))),
    clear: () => change(text, { text: "", caret: 0 }),
    chooseCountry: (chosen) => show("", { text, caret: text.length }, chosen),
    enter: (filled) => {
      const split = splitExtension(filled.number);
      if (split.extension === "") extension.reset();
      else extension.change(split.extension);
      const country = filled.countryCode ?? countryOf(library, split.number, countryCode);
      show("", { text: split.number, caret: split.number.length }, country);
      setName(filled.name ?? null);
    },
  };
}

/** React puts the caret at the end when it changes a field's text; here it goes behind the digit it was behind. */
function useCaret(input: RefObject<HTMLInputElement | null>, edit: NumberEdit): void {
  useLayoutEffect(() => {
    const field = input.current;
    if (field !== null && document.activeElement === field) field.setSelectionRange(edit.caret, edit.caret);
  }, [input, edit]);
}

/** Without the focus a field still remembers its selection; a field never touched takes keys at its end. */
function selectionOf(field: HTMLInputElement | null, text: string): { start: number; end: number } {
  if (field === null || document.activeElement !== field) return { start: text.length, end: text.length };
  return { start: field.selectionStart ?? text.length, end: field.selectionEnd ?? text.length };
}

function grouped(library: NumberLibrary | null, text: string, countryCode: string): string {
  return library === null ? text : groupNumber(text, countryCode, library.formatAsTyped);
}

/** A number that names its country itself chooses it; any other leaves the choice alone. */
function countryOf(library: NumberLibrary | null, text: string, chosen: string): string {
  if (library === null || !/^\s*(\+|00|011)/.test(text)) return chosen;
  const number = library.normalizeNumber(text, chosen);
  return number.ok && countryByCode(number.countryCode)?.selectable ? number.countryCode : chosen;
}
