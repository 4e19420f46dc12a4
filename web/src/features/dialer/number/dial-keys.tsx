import { type MouseEvent, type PointerEvent, useEffect, useEffectEvent, useRef } from "react";
import { useTranslation } from "react-i18next";
import { plainDigits } from "@farline/domain/ascii-digits.ts";
import { classNames } from "../../../ui/class-names.ts";
import { isCommand } from "../../../page-events.ts";
import { after } from "../../../time/timers.ts";
import * as styles from "../../../ui/dialling/dialling.module.css";

const KEYS = [
  ["1", ""],
  ["2", "ABC"],
  ["3", "DEF"],
  ["4", "GHI"],
  ["5", "JKL"],
  ["6", "MNO"],
  ["7", "PQRS"],
  ["8", "TUV"],
  ["9", "WXYZ"],
  ["*", ""],
  ["0", ""],
  ["#", ""],
] as const;

interface DialKeysProps {
  readonly onKey: (key: string) => void;
  /** A long press on 0 enters a plus, except during a call. */
  readonly plus?: boolean;
}

/** The twelve keys of the pad. */
export function DialKeys({ onKey, plus = false }: DialKeysProps) {
  const { t } = useTranslation("dialer");
  return (
    <div className={styles.keys} role="group" aria-label={t("keys")} dir="ltr">
      {KEYS.map(([digit, letters]) => (
        <DialKey
          key={digit}
          digit={digit}
          letters={digit === "0" && plus ? "+" : letters}
          onKey={onKey}
          holdKey={digit === "0" && plus ? "+" : undefined}
        />
      ))}
    </div>
  );
}

interface DialKeyProps {
  readonly digit: string;
  readonly letters: string;
  readonly onKey: (key: string) => void;
  readonly holdKey: string | undefined;
}

function DialKey({ digit, letters, onKey, holdKey }: DialKeyProps) {
  const { t } = useTranslation("dialer");
  const press = useLongPress(() => onKey(digit), holdKey === undefined ? undefined : () => onKey(holdKey));
  const symbol = digit === "*" ? t("star") : digit === "#" ? t("hash") : undefined;
  return (
    <button
      type="button"
      className={symbol === undefined ? styles.key : classNames(styles.key, styles.sym)}
      aria-label={symbol}
      onMouseDown={keepFocus}
      {...press}
    >
      <b>{digit}</b>
      {symbol === undefined && <small aria-hidden="true">{letters === "" ? "\u00a0" : letters}</small>}
    </button>
  );
}

/** Keep the caret in the number field while the pad is pressed. */
export function keepFocus(event: MouseEvent): void {
  event.preventDefault();
}

const LONG_PRESS_MS = 500;

/**
 * Separate actions for a press and a long press. Spread the result on a button. The keyboard and screen readers get the
 * plain press.
 */
export function useLongPress(onPress: () => void, onHold: (() => void) | undefined) {
  const stop = useRef((): void => undefined);
  const held = useRef(false);
  const cancel = (): void => stop.current();
  useEffect(() => () => stop.current(), []);
  return {
    onPointerDown(event: PointerEvent) {
      held.current = false;
      if (onHold === undefined || event.button !== 0) return;
      stop.current = after(LONG_PRESS_MS, () => {
        held.current = true;
        onHold();
      });
    },
    onPointerUp: cancel,
    onPointerLeave: cancel,
    onPointerCancel: cancel,
    onClick() {
      cancel();
      if (!held.current) onPress();
      held.current = false;
    },
  };
}

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
    if (isCommand(event) || event.defaultPrevented || isElsewhere(event.target)) return;
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
