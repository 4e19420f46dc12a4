import { countryByCode } from "@farline/domain/countries/countries.ts";
import type { NormalizedNumber } from "@farline/domain/numbers/phone-number.ts";
import { type RefObject, useLayoutEffect, useMemo, useState } from "react";
import { readNumberText } from "@farline/domain/numbers/number-text.ts";
import { useQuery } from "@tanstack/react-query";
import { behindNumber, cleanExtension, MAX_EXTENSION_LENGTH } from "@farline/domain/numbers/extension.ts";
import { type NumberLibrary, numberReader, useLibrary } from "../../../text/libraries.ts";
import { deleteBack, insertKey, type NumberEdit, reformatEdit, groupNumber } from "./edit-number.ts";
import { useDialLibrary } from "../call-intent.ts";
import { latestCallsQuery } from "../dialer-queries.ts";
import { useDebounced } from "../../../time/use-now.ts";
import { userQuery } from "../../../service/queries.ts";
import { keepLastCountry, readLastCountry, readOwn, writeOwn } from "../../../browser/own-storage.ts";

const REST_MS = 700;

export interface NumberEntry {
  /** As shown in the field. */
  text: string;
  /** Typing pauses. Nothing is said to be wrong before. */
  rests: boolean;
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
  const rests = useDebounced(text, REST_MS) === text;
  const plain = library === null ? null : library.readNumber(ungrouped(text), countryCode);
  const isOdd = rests && text !== "" && plain !== null && !(plain.ok && plain.valid);
  const reader = useLibrary(numberReader, isOdd);
  const number = plain !== null && reader !== null ? reader.normalizeNumber(ungrouped(text), countryCode) : plain;
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
  return {
    text,
    rests,
    wholeText: text + behindNumber(extension.text ?? ""),
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
  const number = library.readNumber(text, chosen);
  const there = number.ok ? number.countryCode : library.partialNumberCountry(text, chosen);
  if (there === null || !countryByCode(there)?.selectable) return chosen;
  return library.normalizePartialNumber(text, there) === library.normalizePartialNumber(text, chosen) ? there : chosen;
}

function partialCountry(library: NumberLibrary | null, text: string, chosen: string): string | null {
  return library === null ? chosen : library.partialNumberCountry(text, chosen);
}

/** Preselected when nothing is known about the caller (specification §2). */
const DEFAULT_COUNTRY = "US";

/** The country of the number field, initially the last one that this customer chose in this browser, or called from another one. */
function useLastCountry(): [countryCode: string, choose: (countryCode: string) => void] {
  const { data: user } = useQuery(userQuery);
  const customerId = user?.id ?? null;
  const remembered = useMemo(() => readLastCountry(customerId), [customerId]);
  const [chosen, setChosen] = useState<string | null>(null);
  const { data: latest } = useQuery(latestCallsQuery);
  const before = [remembered, latest?.[0]?.destination_country].find((code) => countryByCode(code ?? "")?.selectable === true);
  const choose = (countryCode: string): void => {
    setChosen(countryCode);
    keepLastCountry(customerId, countryCode);
  };
  return [chosen ?? before ?? DEFAULT_COUNTRY, choose];
}

interface ExtensionEntry {
  /** Dialled after the answer; null if none is wanted and none is stored for the number. */
  text: string | null;
  /** The caller changed it: "" opens the field, null closes it. */
  change(text: string | null): void;
  /** Restores what is stored for the number. */
  reset(): void;
  /** Stores it for the number's next call. */
  keep(e164: string): void;
}

/** The extension of the number in the field: as typed, or as dialled last time. */
function useExtension(e164: string | null): ExtensionEntry {
  const { data: user } = useQuery(userQuery);
  const customerId = user?.id ?? null;
  const kept = useMemo(() => (customerId === null || e164 === null ? "" : keptExtension(customerId, e164)), [customerId, e164]);
  const [typed, setTyped] = useState<string | null | undefined>();
  const text = typed === undefined ? kept || null : typed;
  return {
    text,
    change: (next) => setTyped(next === null ? null : cleanExtension(next).slice(0, MAX_EXTENSION_LENGTH)),
    reset: () => setTyped(undefined),
    keep: (number) => {
      if (customerId !== null) keepExtension(customerId, number, text ?? "");
    },
  };
}

/** Maximum stored; the oldest are dropped. */
const MAX_EXTENSIONS = 200;
const EXTENSIONS = "extensions";

/** The extension that this customer last dialled with the number; "" without one. */
function keptExtension(customerId: string, e164: string): string {
  return readKept(customerId).find(([number]) => number === e164)?.[1] ?? "";
}

/** Stores the extension of a number; "" removes it. */
function keepExtension(customerId: string, e164: string, extension: string): void {
  const others = readKept(customerId).filter(([number]) => number !== e164);
  if (extension !== "") others.push([e164, extension]);
  writeOwn(customerId, EXTENSIONS, others.length === 0 ? null : JSON.stringify(others.slice(-MAX_EXTENSIONS)));
}

function readKept(customerId: string): [string, string][] {
  try {
    const kept: unknown = JSON.parse(readOwn(customerId, EXTENSIONS) ?? "[]");
    return Array.isArray(kept) ? kept.filter(isPair) : [];
  } catch {
    return []; // Malformed or truncated: treat as empty.
  }
}

function isPair(value: unknown): value is [string, string] {
  return Array.isArray(value) && typeof value[0] === "string" && typeof value[1] === "string";
}
