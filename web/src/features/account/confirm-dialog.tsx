import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Dialog } from "../../ui/dialogs/dialog.tsx";
import { Button } from "../../ui/button.tsx";

interface ConfirmDialogProps {
  readonly open: boolean;
  readonly title: string;
  readonly text: string;
  /** Label of the red button. */
  readonly action: string;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
  /** What else it does. */
  readonly children?: ReactNode;
}

/** Asks for confirmation before removal. The cancel button has the focus. */
export function ConfirmDialog({ open, title, text, action, onConfirm, onClose, children }: ConfirmDialogProps) {
  const { t } = useTranslation();
  return (
    <Dialog
      open={open}
      onClose={onClose}
      title={title}
      foot={
        <>
          <Button onClick={onClose}>{t("cancel")}</Button>
          <Button pair="end" onClick={onConfirm}>
            {action}
          </Button>
        </>
      }
    >
      <p className="muted">{text}</p>
      {children}
    </Dialog>
  );
}
