import { useTranslation } from "react-i18next";
import { Dialog } from "../../ui/dialog.tsx";
import { Key } from "../../ui/key.tsx";

interface ConfirmDialogProps {
  readonly open: boolean;
  readonly title: string;
  readonly text: string;
  /** The word on the red key. */
  readonly action: string;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
}

/** Asks once more before something is taken away. The quiet key has the focus. */
export function ConfirmDialog({ open, title, text, action, onConfirm, onClose }: ConfirmDialogProps) {
  const { t } = useTranslation();
  return (
    <Dialog
      open={open}
      onClose={onClose}
      title={title}
      foot={
        <>
          <Key onClick={onClose}>{t("cancel")}</Key>
          <Key pair="end" onClick={onConfirm}>
            {action}
          </Key>
        </>
      }
    >
      <p className="muted">{text}</p>
    </Dialog>
  );
}
