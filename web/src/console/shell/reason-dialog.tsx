import type { ReactNode } from "react";
import { useServiceForm } from "../../service/use-service-form.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialogs/dialog.tsx";
import { Field } from "../../ui/forms/field.tsx";
import { Form } from "../../ui/forms/form.tsx";
import { Banner } from "../../ui/messages/banner.tsx";
import * as styles from "../sign-in/sign-in.module.css";

interface ReasonDialogProps {
  readonly title: string;
  /** What it does. */
  readonly text: string;
  /** The button's label. */
  readonly action: string;
  /** Red, for what ends or removes. */
  readonly ends?: boolean;
  /** Further fields. */
  readonly children?: ReactNode;
  readonly onClose: () => void;
  /** Errors that it throws are shown. */
  readonly onConfirm: (reason: string) => Promise<void>;
}

/** Asks why, before an operator changes something: the reason is kept in the record. */
export function ReasonDialog({ title, text, action, ends = false, children, onClose, onConfirm }: ReasonDialogProps) {
  const form = useServiceForm({
    empty: { reason: "" },
    send: ({ reason }) => onConfirm(reason),
    fallback: "Nothing was changed. Try again.",
    focusAtFirst: "reason",
  });
  return (
    <Dialog open onClose={onClose} title={title}>
      <Form className={styles.form} noValidate onSubmit={form.submit}>
        <p className="muted">{text}</p>
        {form.failure !== null && <Banner kind="error">{form.failure}</Banner>}
        {children}
        <Field
          label="Reason"
          hint="Kept in the record."
          autoComplete="off"
          required
          {...form.field("reason", { required: "Enter a reason." })}
        />
        <div className="row">
          <Button onClick={onClose}>Cancel</Button>
          <Button pair={ends ? "end" : "action"} type="submit" busy={form.busy}>
            {action}
          </Button>
        </div>
      </Form>
    </Dialog>
  );
}
