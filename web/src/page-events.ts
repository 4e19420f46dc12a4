/** Marks of direction, which keep numbers and amounts in order inside right-to-left text. */
const MARKS = /[\u200e\u200f\u2066-\u2069]/g;
/** Of keys that an input method has taken. Safari ends the composition before the key that ended it. */
const TAKEN_KEY = 229;

/** What holds on every page, whatever is on it. Called before any other listener is added. */
export function handlePageEvents(): void {
  window.addEventListener("keydown", leaveToInputMethod, true);
  document.addEventListener("copy", copyWithoutMarks);
  document.addEventListener("dragover", refuseFiles);
}

/**
 * While an input method composes, its keys are its own: Enter commits, Escape cancels, arrows and Backspace move and delete in what it
 * composes. No other listener gets them.
 */
function leaveToInputMethod(event: KeyboardEvent): void {
  if (event.isComposing || event.keyCode === TAKEN_KEY) event.stopImmediatePropagation();
}

/** Copied text carries no invisible marks: other programs take them for a part of the number. Fields are copied by the browser. */
function copyWithoutMarks(event: ClipboardEvent): void {
  if (event.target instanceof HTMLInputElement || event.target instanceof HTMLTextAreaElement) return;
  const text = String(getSelection());
  const plain = text.replace(MARKS, "");
  if (event.clipboardData === null || plain === text) return;
  event.clipboardData.setData("text/plain", plain);
  event.preventDefault();
}

/** A file let go beside its field would be opened in the page's place: what was typed is lost, and a call ends. */
function refuseFiles(event: DragEvent): void {
  if (event.defaultPrevented || event.dataTransfer?.types.includes("Files") !== true) return;
  event.preventDefault();
  event.dataTransfer.dropEffect = "none";
}

/**
 * Whether a key is a command of the browser or the system, not typed. Many keyboards type # with Option or with AltGr, which Windows
 * reports as Ctrl and Alt; a digit with Alt changes the tab.
 */
export function isCommand({ key, ctrlKey, altKey, metaKey }: KeyboardEvent): boolean {
  return metaKey || (altKey ? !/^[+*#]$/.test(key) : ctrlKey);
}
