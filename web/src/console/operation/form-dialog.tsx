import type { ReactNode } from "react";
import type { FieldValues } from "react-hook-form";
import * as styles from "../console.module.css";
import { useServiceForm } from "../../service/use-service-form.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialogs/dialog.tsx";
import { Field } from "../../ui/forms/field.tsx";
import { dollarsRule, LongTextField, MoneyField } from "../../ui/forms/form-fields.tsx";
import { Form } from "../../ui/forms/form.tsx";
import { Banner } from "../../ui/messages/banner.tsx";
import { UNANSWERED } from "../console-request.ts";
import { CheckBox, LAST_MINUTE, SelectField } from "../shell/fields.tsx";
import { type FormField, REASON } from "./operation-fields.ts";

/** Shown at an amount that cannot be read: nothing is sent. */
export const UNREADABLE = "Enter an amount in dollars, for example 10 or 12.50";
const NUMBER = /^\s*\d+(?:\.\d+)?\s*$/;
/** Of what is no number, JSON would make null, which means "no limit". */
const NO_NUMBER = "Enter a number in digits alone, for example 1000";

type Typed = Readonly<Record<string, string | boolean>>;

interface FormDialogProps {
  readonly title: string;
  /** What it does. */
  readonly text: ReactNode;
  /** The button's label. */
  readonly action: string;
  /** Red, for what ends or removes. */
  readonly ends?: boolean;
  /** Asked for last. Default: the reason. */
  readonly fields?: readonly FormField[];
  /** What is shown or chosen before the fields. */
  readonly children?: ReactNode;
  readonly initial?: Readonly<Record<string, string>>;
  readonly onClose: () => void;
  /** Errors that it throws are shown, and what was typed stays. */
  readonly onConfirm: (typed: Typed) => Promise<void>;
}

/** Asks an operator what is needed, and why, before something is changed. */
export function FormDialog({ title, text, action, ends = false, fields = [REASON], ...more }: FormDialogProps) {
  const { children, initial = {}, onClose, onConfirm } = more;
  const [first] = fields;
  const form = useServiceForm<FieldValues>({
    empty: Object.fromEntries(fields.map((field) => [field.name, initial[field.name] ?? emptyOf(field)])),
    send: async (typed) => onConfirm(typed),
    fallback: "Nothing was changed. Try again.",
    unanswered: UNANSWERED,
    focusAtFirst: first?.name,
  });
  return (
    <Dialog open onClose={onClose} title={title}>
      <Form className={styles.form} noValidate onSubmit={form.submit}>
        {text !== "" && <p className="muted">{text}</p>}
        {form.failure !== null && <Banner kind="error">{form.failure}</Banner>}
        {children}
        {fields.map((field) => (
          <FormControl key={field.name} field={field} control={form.field(field.name, rulesOf(field))} />
        ))}
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

function emptyOf({ kind, choices }: FormField): string | boolean {
  return kind === "check" ? false : (choices?.[0]?.[0] ?? "");
}

function rulesOf({ kind, needed }: FormField) {
  return {
    ...(needed === null ? {} : { required: needed }),
    ...(kind === "money" ? dollarsRule(UNREADABLE) : {}),
    ...(kind === "number" ? { pattern: { value: NUMBER, message: NO_NUMBER } } : {}),
  };
}

interface FormControlProps {
  readonly field: FormField;
  readonly control: ReturnType<ReturnType<typeof useServiceForm>["field"]>;
}

function FormControl({ field: { kind, label, hint, choices, needed }, control }: FormControlProps) {
  const shared = { label, ...(hint === undefined ? {} : { hint }), required: needed !== null };
  const { error: _never, ...box } = control;
  if (kind === "check") return <CheckBox label={label} {...box} />;
  if (kind === "choice") return <SelectField {...shared} options={choices ?? []} {...control} />;
  if (kind === "long") return <LongTextField label={label} required={needed !== null} rows={5} {...control} />;
  if (kind === "money") return <MoneyField {...shared} {...control} />;
  return (
    <Field
      {...shared}
      type={TYPES[kind]}
      inputMode={kind === "number" ? "decimal" : undefined}
      max={kind === "time" ? LAST_MINUTE : undefined}
      autoComplete="off"
      {...control}
    />
  );
}

const TYPES = { text: "text", email: "email", number: "text", time: "datetime-local" } as const;
