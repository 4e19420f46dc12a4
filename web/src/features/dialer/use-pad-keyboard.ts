import { useEffect } from "react";

interface PadKeyboard {
  onKey: (key: string) => void;
  onDelete?: () => void;
}

/** The keys of a keyboard press the pad, unless they are meant for a field. */
export function usePadKeyboard({ onKey, onDelete }: PadKeyboard): void {
  useEffect(() => {
    const listen = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || isField(event.target)) return;
      if (/^[0-9+*#]$/.test(event.key)) onKey(event.key);
      else if (event.key === "Backspace") onDelete?.();
    };
    window.addEventListener("keydown", listen);
    return () => window.removeEventListener("keydown", listen);
  }, [onKey, onDelete]);
}

function isField(target: EventTarget | null): boolean {
  return target instanceof HTMLInputElement || target instanceof HTMLSelectElement || target instanceof HTMLTextAreaElement;
}
