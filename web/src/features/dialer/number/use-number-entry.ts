import { countryByCode } from "@farline/domain/countries/countries.ts";
import type { NormalizedNumber } from "@farline/domain/numbers/phone-number.ts";
import { type RefObject, useLayoutEffect, useState } from "react";
import type { NumberLibrary } from "../../../text/phone-text.ts";
import { deleteBack, insertKey, reformatEdit, type NumberEdit } from "./edit-number.ts";
import { readNumberText } from "@farline/domain/numbers/number-text.ts";
import { groupNumber } from "./group-number.ts";
import { useDialLibrary } from "./use-dial-library.ts";
import { useLastCountry } from "./use-last-country.ts";
import { type ExtensionEntry, useExtension } from "./use-extension.ts";

export interface NumberEntry {
  /** As shown in the field. */
  text: string;
  /** With the extension, as `enter` reads it. */
  wholeText: string;
  /** The chosen country. */
  countryCode: string;
  /** The country that the number leads to, as far as it is typed; null while no country has its calling code. */
  destination: string | null;
  /** The number, parsed by the rules that also price it; null until the numbering plans are loaded. */
  number: NormalizedNumber | null;
  /** The name that came with the number; null for a typed number. */
  name: string | null;
  /** It was filled in at once, not typed, so there is nothing to wait for before it is priced. */
  isFilled: boolean;
  extension: ExtensionEntry;
  onType(text: string, caret: number): void;
  press(key: string): void;
  deleteLast(): void;
  clear(): void;
  chooseCountry(countryCode: string): void;
  /** Fills in a complete number, for example from an earlier call. Digits after it become the extension. */
  enter(filled: FilledNumber): void;
}

export interface FilledNumber {
  number: string;
  /** Default: the number's own country. */
  countryCode?: string | null;
  name?: string | null;
}

/** What is typed, pasted or pressed into `input`, formatted, with its country. `onEdit` is called when the user changes it. */
export function useNumberEntry(input: RefObject<HTMLInputElement | null>, onEdit: () => void): NumberEntry {
  const [countryCode, setCountryCode] = useLastCountry();
  const [edit, setEdit] = useState<NumberEdit>({ text: "", caret: 0 });
  const library = useDialLibrary(edit.text !== "");
  const [name, setName] = useState<string | null>(null);
  const [isFilled, setIsFilled] = useState(false);
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
  const number = library === null ? null : library.normalizeNumber(ungrouped(text), countryCode);
  const extension = useExtension(number?.ok === true ? number.e164 : null);
  const change = (before: string, after: NumberEdit): void => {
    setName(null);
    setIsFilled(false);
    const split = readNumberText(after.text);
    const pauseOnly = /^,*$/.test(split.extension);
    if (!pauseOnly || (split.extension !== "" && extension.text === null)) extension.change(split.extension);
    else if (after.text === "") extension.reset();
    const { number: kept } = split;
    show(before, { text: kept, caret: Math.min(after.caret, kept.length) }, countryOf(library, kept, countryCode));
  };
  if (library !== readWith) {
    // Parse what was typed before the numbering plans were loaded.
    setReadWith(library);
    if (text !== "") put("", { text, caret: text.length }, countryOf(library, text, countryCode));
  }
  const pause = /^[^,]/.test(extension.text ?? "") ? "," : "";
  return {
    text,
    wholeText: text + pause + (extension.text ?? ""),
    countryCode,
    destination: number?.ok === true ? number.countryCode : partialCountry(library, text, countryCode),
    number,
    name,
    isFilled,
    extension,
    onType: (typed, caret) => change(text, { text: typed, caret }),
    press: (key) => change(text, insertKey(text, selectionOf(input.current, text), key)),
    deleteLast: () => change(text, deleteBack(text, selectionOf(input.current, text))),
    clear: () => change(text, { text: "", caret: 0 }),
    chooseCountry: (chosen) => show("", { text, caret: text.length }, chosen),
    enter: (filled) => {
      const split = readNumberText(filled.number);
      if (split.extension === "") extension.reset();
      else extension.change(split.extension);
      const country = filled.countryCode ?? countryOf(library, split.number, countryCode);
      show("", { text: split.number, caret: split.number.length }, country);
      setName(filled.name ?? null);
      setIsFilled(true);
    },
  };
}

/** The field groups the digits itself, so its separators carry no information. */
function ungrouped(text: string): string {
  return /[^\d\s()+./-]/.test(text) ? text : text.replace(/[\s()./-]/g, "");
}

/** React moves the caret to the end when it changes a field's text; this puts it back after the same digit. */
function useCaret(input: RefObject<HTMLInputElement | null>, edit: NumberEdit): void {
  useLayoutEffect(() => {
    const field = input.current;
    if (field !== null && document.activeElement === field && !("composing" in field.dataset))
      field.setSelectionRange(edit.caret, edit.caret);
  }, [input, edit]);
}

/** Without focus the field keeps its old selection, so keys of the pad go to the end. */
function selectionOf(field: HTMLInputElement | null, text: string): { start: number; end: number } {
  if (field === null || document.activeElement !== field) return { start: text.length, end: text.length };
  return { start: field.selectionStart ?? text.length, end: field.selectionEnd ?? text.length };
}

function grouped(library: NumberLibrary | null, text: string, countryCode: string): string {
  return library === null ? text : groupNumber(text, countryCode, library.formatAsTyped);
}

/**
 * An international number selects its country from its calling code on; any other keeps the choice. So does one behind an exit
 * code that the new country reads differently: 011 is North America's.
 */
function countryOf(library: NumberLibrary | null, text: string, chosen: string): string {
  if (library === null || !/^\s*(\+|00|011)/.test(text)) return chosen;
  const number = library.normalizeNumber(text, chosen);
  const there = number.ok ? number.countryCode : library.partialNumberCountry(text, chosen);
  if (there === null || !countryByCode(there)?.selectable) return chosen;
  return library.normalizePartialNumber(text, there) === library.normalizePartialNumber(text, chosen) ? there : chosen;
}

function partialCountry(library: NumberLibrary | null, text: string, chosen: string): string | null {
  return library === null ? chosen : library.partialNumberCountry(text, chosen);
}
