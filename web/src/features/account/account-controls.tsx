import { deviceMessage } from "@farline/texts/device-message.ts";
import { useQuery } from "@tanstack/react-query";
import { type ComponentProps, type ReactNode, useState } from "react";
import { useTranslation } from "react-i18next";
import { i18n } from "../../text/i18n.ts";
import { messageText } from "../../text/message-text.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialogs/dialog.tsx";
import { Form } from "../../ui/forms/form.tsx";
import { Banner } from "../../ui/messages/banner.tsx";
import { toast } from "../../ui/messages/toast.ts";
import { sessionsQuery } from "./account-queries.ts";
import * as styles from "./account.module.css";

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

interface ConfirmButtonProps extends Omit<ConfirmDialogProps, "open" | "onClose"> {
  readonly busy: boolean;
  /** Red, where the button itself is the page's last step. */
  readonly pair?: "end";
  readonly disabled?: boolean;
}

/** A button that acts once its dialog is confirmed. */
export function ConfirmButton({ busy, pair, disabled, onConfirm, ...dialog }: ConfirmButtonProps) {
  const [asking, setAsking] = useState(false);
  return (
    <>
      <Button pair={pair} busy={busy} disabled={disabled} onClick={() => setAsking(true)}>
        {dialog.action}
      </Button>
      <ConfirmDialog
        {...dialog}
        open={asking}
        onConfirm={() => {
          setAsking(false);
          onConfirm();
        }}
        onClose={() => setAsking(false)}
      />
    </>
  );
}

interface CardFormProps {
  readonly form: {
    readonly failure: string | null;
    readonly busy: boolean;
    readonly submit: ComponentProps<typeof Form>["onSubmit"];
  };
  /** Label of the button that sends. */
  readonly action: string;
  readonly onCancel: () => void;
  readonly children: ReactNode;
}

/** A form that opens in a card: why it failed, its fields, and the buttons that send and close it. */
export function CardForm({ form, action, onCancel, children }: CardFormProps) {
  const { t } = useTranslation();
  return (
    <Form className={styles.form} noValidate onSubmit={form.submit}>
      {form.failure !== null && <Banner kind="error">{form.failure}</Banner>}
      {children}
      <div className="row">
        <Button pair="action" type="submit" busy={form.busy}>
          {action}
        </Button>
        <Button onClick={onCancel}>{t("cancel")}</Button>
      </div>
    </Form>
  );
}

/** A signed-in device, recorded as "Chrome on Windows", in the user's language. */
export function deviceText(device: string): string {
  const message = deviceMessage(device);
  return message === null ? device : messageText({ message: device, ...message });
}

/** Says which calls end with the other devices' sessions, before they are signed out. */
export function OtherCallsEnd() {
  const { t } = useTranslation("account");
  const { data = [] } = useQuery(sessionsQuery);
  const inCall = data.filter(({ current, in_call: isInCall }) => !current && isInCall);
  return inCall.map(({ id, device }) => (
    <Banner key={id} kind="info">
      {t("devices.callEnds", { device: deviceText(device) })}
    </Banner>
  ));
}

/** Copies a text to the clipboard and says so, or asks the user to copy it by hand. */
export async function copyText(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    toast.success(i18n.t("account:copied"));
  } catch {
    toast.error(i18n.t("account:notCopied"));
  }
}
