/** The number field of the page that the build drew. It works before the app has loaded. */
const FIELD = "#root > [data-shell] input[type=tel]";
/** More than any number has. */
const MAX_CHARACTERS = 60;
const KEY = "#root > [data-shell] [role=group] > button";

/** Enters pressed and typed digits in the drawn page's field, as they are. For the script that runs before the first paint. */
export function enterShellKeys(): void {
  const enter = (key: string): void => {
    const field = shellField();
    if (field !== null && field.value.length < MAX_CHARACTERS) field.value += key;
  };
  document.addEventListener("click", ({ target }) => {
    const key = target instanceof Element ? target.closest(KEY) : null;
    if (key !== null) enter(key.querySelector("b")?.textContent ?? "");
  });
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || event.target instanceof HTMLInputElement) return;
    if (/^[\p{Nd}+*#]$/u.test(event.key)) enter(event.key);
  });
  document.addEventListener("submit", (event) => {
    if (event.target instanceof Element && event.target.closest("[data-shell]") !== null) event.preventDefault();
  });
}

/** What is entered in the drawn page's field now; empty without one. */
export function shellText(): string {
  return shellField()?.value ?? "";
}

let field: HTMLInputElement | null = null;
let isFocused = false;

/** Keeps the drawn page's field, which the app's first render removes. */
export function keepShellField(): void {
  field = shellField();
  isFocused = document.activeElement === field;
  document.addEventListener("focusin", noteFocus);
}

/** What was entered before the app had loaded, and whether the field had the focus. Once; null if there was no such field. */
export function takeShellNumber(): { readonly text: string; readonly isFocused: boolean } | null {
  document.removeEventListener("focusin", noteFocus);
  const taken = field === null ? null : { text: field.value, isFocused };
  field = null;
  return taken;
}

function noteFocus({ target }: FocusEvent): void {
  isFocused = target === field;
}

function shellField(): HTMLInputElement | null {
  return document.querySelector<HTMLInputElement>(FIELD);
}
