import { type ReactNode, useEffect, useId, useLayoutEffect, useRef, useSyncExternalStore } from "react";
import { createListeners } from "../../browser/listeners.ts";
import * as styles from "./dialog.module.css";

/** The dialogs that are open, the one on top last. */
let openDialogs: readonly HTMLDialogElement[] = [];
const { notify, subscribe } = createListeners();

function changeOpen(dialogs: readonly HTMLDialogElement[]): void {
  openDialogs = dialogs;
  notify();
}

/** The open dialog on top; null without one. The browser keeps all that is outside it from screen readers and from being pressed. */
export function useTopDialog(): HTMLDialogElement | null {
  return useSyncExternalStore(subscribe, () => openDialogs.at(-1) ?? null);
}

interface DialogProps {
  readonly open: boolean;
  /** Called on Esc, on a press on the backdrop, or by the content's own button. */
  readonly onClose: () => void;
  readonly title: string;
  readonly children: ReactNode;
  /** Buttons at the foot: the quiet one at the start, the action at the end. */
  readonly foot?: ReactNode;
}

/** The browser focuses the first control. Unless it is a field, a key that is still held down would press it. */
function show(element: HTMLDialogElement, heading: HTMLElement | null): void {
  element.showModal();
  if (document.activeElement?.matches("input, select, textarea") !== true) heading?.focus();
}

/** A modal dialog; on a phone a bottom sheet. The focus starts in the first field or on the title; the browser traps and restores it. */
export function Dialog({ open, onClose, title, children, foot }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const heading = useRef<HTMLHeadingElement>(null);
  /** Where the last press began. */
  const pressed = useRef<EventTarget>(null);
  const id = useId();
  useEffect(() => {
    const element = dialog.current;
    if (element === null || element.open === open) return;
    if (open) show(element, heading.current);
    else element.close();
  }, [open]);
  useLayoutEffect(() => {
    const element = dialog.current;
    if (element === null || !open) return undefined;
    changeOpen([...openDialogs, element]);
    // Browsers close a dialog that stayed open after Esc at the next Esc, without a question.
    const reopen = () => show(element, heading.current);
    element.addEventListener("close", reopen);
    return () => {
      element.removeEventListener("close", reopen);
      changeOpen(openDialogs.filter((one) => one !== element));
    };
  }, [open]);
  // Before it leaves the page: the browser gives the focus back only to what a closed dialog was opened from.
  useLayoutEffect(() => {
    const element = dialog.current;
    return () => element?.close();
  }, []);
  useEffect(() => {
    const element = dialog.current;
    if (element === null) return undefined;
    // Content covers the dialog's box, so what hits the dialog itself is on the backdrop. A press that only ends there selected text.
    const press = ({ target }: Event) => {
      pressed.current = target;
    };
    const release = ({ target }: Event) => {
      if (target === element && pressed.current === element) onClose();
    };
    element.addEventListener("pointerdown", press);
    element.addEventListener("click", release);
    return () => {
      element.removeEventListener("pointerdown", press);
      element.removeEventListener("click", release);
    };
  }, [onClose]);
  return (
    <dialog
      ref={dialog}
      className={styles.dialog}
      aria-labelledby={id}
      onCancel={(event) => {
        // A file field's event, when no file was chosen, reaches the dialog too.
        if (event.target !== event.currentTarget) return;
        event.preventDefault();
        onClose();
      }}
    >
      {open && (
        <div className={styles.inner}>
          <h2 className="t-card" id={id} ref={heading} tabIndex={-1}>
            <bdi>{title}</bdi>
          </h2>
          {children}
          {foot !== undefined && <div className={styles.foot}>{foot}</div>}
        </div>
      )}
    </dialog>
  );
}
