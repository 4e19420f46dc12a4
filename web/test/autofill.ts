import { expect } from "vitest";

/** Field names that the app uses (HTML, autofill detail tokens). */
const NAMES = new Set(["off", "name", "email", "username", "current-password", "new-password", "one-time-code", "tel"]);
const TYPED = "textarea, input:not([type=checkbox], [type=radio], [type=file], [type=range], [type=hidden])";

/** Every field on the page says what may be filled in, and every password comes after a field that names its account. */
export function expectAutofillNamed(): void {
  const fields = [...document.querySelectorAll<HTMLInputElement>(TYPED)];
  for (const field of fields) expect(NAMES).toContain(field.autocomplete);
  for (const password of fields.filter(({ autocomplete }) => autocomplete.endsWith("-password"))) {
    const names = fields.filter(({ form, autocomplete }) => form === password.form && autocomplete === "username");
    expect(names).toHaveLength(1);
    expect(fields.indexOf(names[0] as HTMLInputElement)).toBeLessThan(fields.indexOf(password));
    // A hidden one can't be typed.
    if (names[0]?.hidden === true) expect(names[0].value).toMatch(/^\S+@\S+$/);
  }
}
