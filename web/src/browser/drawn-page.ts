import { settleWithin } from "@farline/domain/durations.ts";
import { isCommand } from "../page-events.ts";

/**
 * The page as the build drew it (`web/build/app-page.ts`). It takes what is typed and pressed until the app replaces it in one step,
 * and hands over the text, the focus with the caret, and a press on the form's button.
 */
const PAGE = "#root[data-shell]";
/** The dialer's number field. */
const NUMBER_FIELD = "input[type=tel]";
const PAD_KEY = `${PAGE} [role=group] > button`;
const CONTROLS = "main :is(a, button, input, select)";
/** More than any number has. */
const MAX_DIGITS = 60;
/** How long an unfinished word of an input method may hold the app back. */
const COMPOSITION_LIMIT_MS = 5_000;

/** Makes the drawn page take keys and presses. For the script that runs before the first paint. */
export function handleDrawnPage(): void {
  const enter = (key: string): void => {
    const field = numberField();
    if (field !== null && field.value.length < MAX_DIGITS) field.value += key;
  };
  document.addEventListener("click", ({ target }) => {
    const key = target instanceof Element ? target.closest(PAD_KEY) : null;
    if (key !== null) enter(key.querySelector("b")?.textContent ?? "");
  });
  document.addEventListener("keydown", (event) => {
    if (isCommand(event) || event.repeat || event.target instanceof HTMLInputElement) return;
    if (/^[\p{Nd}+*#]$/u.test(event.key)) enter(event.key);
  });
  document.addEventListener("submit", (event) => {
    const form = drawnForm(event);
    if (form === null) return;
    event.preventDefault();
    if (form.method === "post") buttonOf(form)?.setAttribute("aria-busy", "true");
  });
  // Who goes on typing does not want the half-typed text sent.
  document.addEventListener("input", (event) => buttonOf(drawnForm(event))?.removeAttribute("aria-busy"));
  document.addEventListener("compositionstart", (event) => drawnForm(event)?.setAttribute("data-composing", ""));
  document.addEventListener("compositionend", (event) => drawnForm(event)?.removeAttribute("data-composing"));
}

const drawnPage = (): HTMLElement | null => document.querySelector<HTMLElement>(PAGE);

const numberField = (): HTMLInputElement | null => drawnPage()?.querySelector<HTMLInputElement>(NUMBER_FIELD) ?? null;

const drawnForm = ({ target }: Event): HTMLFormElement | null =>
  target instanceof Element ? target.closest<HTMLFormElement>(`${PAGE} form`) : null;

const buttonOf = (form: HTMLFormElement | null | undefined): HTMLButtonElement | null =>
  form?.querySelector<HTMLButtonElement>("button[type=submit]") ?? null;

/** What is entered in the drawn number field now; empty without one. */
export function drawnNumber(): string {
  return numberField()?.value ?? "";
}

/** Resolves once no input method composes in the drawn page: without its field, an unfinished word would be lost. */
export async function compositionEnded(): Promise<void> {
  if (document.querySelector(`${PAGE} [data-composing]`) === null) return;
  const ended = new Promise<void>((settle) => document.addEventListener("compositionend", () => settle(), { once: true }));
  await settleWithin(ended, COMPOSITION_LIMIT_MS, () => undefined);
}

/** The element that the app renders into; after a drawn page, which stays until the app calls `leaveDrawnPage`. */
export function elementOfApp(): HTMLElement {
  const root = document.getElementById("root");
  if (root === null) throw new Error("The page has no element with the id root.");
  if (!root.matches(PAGE)) return root;
  const element = document.createElement("div");
  root.after(element);
  return element;
}

interface LeftPage {
  readonly page: HTMLElement;
  /** Which of the controls had the focus; -1 is none. */
  readonly focused: number;
  /** In the field with the focus; null where the browser does not tell, as for addresses. */
  readonly caret: readonly [start: number, end: number] | null;
}

let left: LeftPage | null = null;

/** Puts the app into the drawn page's place. Called while the app's first elements are inserted, so that nothing is painted twice. */
export function leaveDrawnPage(): void {
  const page = drawnPage();
  const app = page?.nextElementSibling;
  if (page === null || !app) return;
  const active = document.activeElement;
  const caret =
    active instanceof HTMLInputElement && active.selectionStart !== null
      ? ([active.selectionStart, active.selectionEnd ?? active.selectionStart] as const)
      : null;
  left = { page, focused: [...page.querySelectorAll(CONTROLS)].indexOf(active as Element), caret };
  page.remove();
  app.id = "root";
}

/** Takes over what was typed into the drawn form, with the focus. @returns whether its button was pressed. Once */
export function takeDrawnForm(into: HTMLElement | null): boolean {
  if (left === null || into === null) return false;
  const { page, focused, caret } = left;
  left = null;
  for (const drawn of page.querySelectorAll<HTMLInputElement>("input[name]")) {
    const field = into.querySelector<HTMLInputElement>(`input[name="${drawn.name}"]`);
    if (field !== null && drawn.value !== "") field.value = drawn.value;
  }
  const before = page.querySelectorAll(CONTROLS)[focused];
  const now = [...document.querySelectorAll<HTMLElement>(CONTROLS)][focused];
  if (before !== undefined && now?.tagName === before.tagName) {
    now.focus({ preventScroll: true });
    if (caret !== null && now instanceof HTMLInputElement) now.setSelectionRange(...caret);
  }
  return buttonOf(page.querySelector("form"))?.getAttribute("aria-busy") === "true";
}

/** What was entered in the drawn number field, and whether it had the focus; null if there was none. Once. */
export function takeDrawnNumber(): { readonly text: string; readonly isFocused: boolean } | null {
  const field = left?.page.querySelector<HTMLInputElement>(NUMBER_FIELD) ?? null;
  if (left === null || field === null) return null;
  const isFocused = left.page.querySelectorAll(CONTROLS)[left.focused] === field;
  left = null;
  return { text: field.value, isFocused };
}
