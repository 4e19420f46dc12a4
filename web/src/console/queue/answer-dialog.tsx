import { useServiceForm } from "../../service/use-service-form.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialogs/dialog.tsx";
import { Form } from "../../ui/forms/form.tsx";
import { LongTextField } from "../../ui/forms/form-fields.tsx";
import { Banner } from "../../ui/messages/banner.tsx";
import * as styles from "../sign-in/sign-in.module.css";

interface AnswerDialogProps {
  readonly title: string;
  /** What it does. */
  readonly text: string;
  /** The button's label. */
  readonly action: string;
  /** Whether the customer must be told something. */
  readonly needed: boolean;
  readonly onClose: () => void;
  /** Errors that it throws are shown. */
  readonly onConfirm: (answer: string) => Promise<void>;
}

/** Asks what the customer should read. */
export function AnswerDialog({ title, text, action, needed, onClose, onConfirm }: AnswerDialogProps) {
  const form = useServiceForm({
    empty: { answer: "" },
    send: ({ answer }) => onConfirm(answer.trim()),
    fallback: "Nothing was sent. Try again.",
    focusAtFirst: "answer",
  });
  return (
    <Dialog open onClose={onClose} title={title}>
      <Form className={styles.form} noValidate onSubmit={form.submit}>
        <p className="muted">{text}</p>
        {form.failure !== null && <Banner kind="error">{form.failure}</Banner>}
        <LongTextField
          label={needed ? "What the customer reads" : "What the customer reads (optional)"}
          rows={5}
          required={needed}
          {...form.field("answer", needed ? { required: "Write what the customer should read." } : {})}
        />
        <div className="row">
          <Button onClick={onClose}>Cancel</Button>
          <Button pair="action" type="submit" busy={form.busy}>
            {action}
          </Button>
        </div>
      </Form>
    </Dialog>
  );
}
