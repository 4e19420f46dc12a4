import { plainDigits } from "@farline/domain/ascii-digits.ts";
import { useEffect, useEffectEvent } from "react";

interface PadKeyboard {
  onKey: (key: string) => void;
  onDelete?: () => void;
  onEnter?: () => void;
  onEscape?: () => void;
  /** Text pasted anywhere on the page. */
  onPaste?: (text: string) => void;
}

/** Maps the keyboard to the pad, unless a field, a button or a dialog has the focus. */
export function usePadKeyboard({ onKey, onDelete, onEnter, onEscape, onPaste }: PadKeyboard): void {
  const press = useEffectEvent((event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || isElsewhere(event.target)) return;
    const key = plainDigits(event.key.normalize("NFKC"));
    if (event.key === "Escape") onEscape?.();
    else if (isField(event.target)) return;
    // A key that is held is one digit, as on a telephone: a menu takes each further one for an answer.
    else if (/^[0-9+*#]$/.test(key)) return event.repeat ? undefined : onKey(key);
    else if (event.key === "Backspace") onDelete?.();
    else if (event.key === "Enter" && !isPressable(event.target)) onEnter?.();
  });
  const paste = useEffectEvent((event: ClipboardEvent): void => {
    const text = event.clipboardData?.getData("text") ?? "";
    if (text !== "" && !isField(event.target) && !isElsewhere(event.target)) onPaste?.(text);
  });
  // Attach once: swapping listeners can lose a key event in between.
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => press(event);
    const onPasted = (event: ClipboardEvent): void => paste(event);
    window.addEventListener("keydown", onKeyDown);
    window.addEventListener("paste", onPasted);
    return () => {
      window.removeEventListener("keydown", onKeyDown);
      window.removeEventListener("paste", onPasted);
    };
  }, []);
}

/** Dialogs and menus handle keys themselves. */
function isElsewhere(target: EventTarget | null): boolean {
  return document.querySelector("dialog[open]") !== null || (target instanceof Element && target.closest("header, nav") !== null);
}

/** Elements that Enter activates by itself. */
function isPressable(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest("a, button, summary") !== null;
}

function isField(target: EventTarget | null): boolean {
  return target instanceof HTMLInputElement || target instanceof HTMLSelectElement || target instanceof HTMLTextAreaElement;
}
