/** Marks of direction, which keep numbers and amounts in order inside right-to-left text. */
const MARKS = /[\u200e\u200f\u2066-\u2069]/g;

/** Copied text carries no invisible marks: other programs take them for a part of the number. Fields are copied by the browser. */
export function copyWithoutMarks(): void {
  document.addEventListener("copy", (event) => {
    if (event.target instanceof HTMLInputElement || event.target instanceof HTMLTextAreaElement) return;
    const text = String(getSelection());
    const plain = text.replace(MARKS, "");
    if (event.clipboardData === null || plain === text) return;
    event.clipboardData.setData("text/plain", plain);
    event.preventDefault();
  });
}
