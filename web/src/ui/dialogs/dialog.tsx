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

/** A modal dialog; on a phone a bottom sheet. The focus starts in the first field or on the title; the browser traps and restores it. */
export function Dialog({ open, onClose, title, children, foot }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const heading = useRef<HTMLHeadingElement>(null);
  const id = useId();
  useEffect(() => {
    const element = dialog.current;
    if (element === null || element.open === open) return;
    if (!open) return element.close();
    element.showModal();
    // The browser focuses the first control. Unless it is a field, a key that is still held down would press it.
    if (document.activeElement?.matches("input, select, textarea") !== true) heading.current?.focus();
  }, [open]);
  useLayoutEffect(() => {
    const element = dialog.current;
    if (element === null || !open) return undefined;
    changeOpen([...openDialogs, element]);
    return () => changeOpen(openDialogs.filter((one) => one !== element));
  }, [open]);
  // Before it leaves the page: the browser gives the focus back only to what a closed dialog was opened from.
  useLayoutEffect(() => {
    const element = dialog.current;
    return () => element?.close();
  }, []);
  useEffect(() => {
    const element = dialog.current;
    if (element === null) return undefined;
    const pressed = (event: MouseEvent) => {
      if (event.target === element) onClose(); // content covers the dialog's box, so this is the backdrop
    };
    element.addEventListener("click", pressed);
    return () => element.removeEventListener("click", pressed);
  }, [onClose]);
  return (
    <dialog
      ref={dialog}
      className={styles.dialog}
      aria-labelledby={id}
      onCancel={(event) => {
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
