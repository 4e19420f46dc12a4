import { type ReactNode, useEffect, useId, useRef } from "react";
import "./dialog.css";

interface DialogProps {
  readonly open: boolean;
  /** Esc, the backdrop or the caller's own key. */
  readonly onClose: () => void;
  readonly title: string;
  readonly children: ReactNode;
  /** The keys at the foot: quiet one left, action right. */
  readonly foot?: ReactNode;
}

/** A modal dialog; on a phone a sheet at the bottom. The browser keeps the focus inside and gives it back. */
export function Dialog({ open, onClose, title, children, foot }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const element = dialog.current;
    if (element === null || element.open === open) return;
    if (open) element.showModal();
    else element.close();
  }, [open]);
  useEffect(() => {
    const element = dialog.current;
    if (element === null) return undefined;
    const pressed = (event: MouseEvent) => {
      if (event.target === element) onClose(); // the dialog's own box is filled, so this is the backdrop
    };
    element.addEventListener("click", pressed);
    return () => element.removeEventListener("click", pressed);
  }, [onClose]);
  return (
    <dialog
      ref={dialog}
      className="dialog"
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
    >
      {open && (
        <div className="dialog__in">
          <h2 className="t-card" id={id}>
            {title}
          </h2>
          {children}
          {foot !== undefined && <div className="dialog__foot">{foot}</div>}
        </div>
      )}
    </dialog>
  );
}
