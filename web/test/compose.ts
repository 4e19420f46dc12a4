import { fireEvent } from "@testing-library/react";
import { expect } from "vitest";

const setValue = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value")?.set;

/**
 * Enters texts as an input method does: each replaces what is composed, until the last is committed. The method loses its place if the page
 * rewrites the field meanwhile, so that is a failure.
 */
export function compose(field: HTMLElement, ...texts: readonly string[]): void {
  const input = field as HTMLInputElement;
  const before = input.value;
  fireEvent.compositionStart(input);
  for (const text of texts) {
    setValue?.call(input, before + text);
    fireEvent(
      input,
      new InputEvent("input", { bubbles: true, isComposing: true, inputType: "insertCompositionText", data: text }),
    );
    expect(input.value).toBe(before + text);
  }
  fireEvent.compositionEnd(input, { data: texts.at(-1) ?? "" });
}
