import { IconAlertCircle, IconEye, IconEyeOff } from "@tabler/icons-react";
import { type InputHTMLAttributes, type ReactElement, type ReactNode, type Ref, useId, useState } from "react";
import { useTranslation } from "react-i18next";
import { useShell } from "../../browser/page-hooks.ts";
import { Icon } from "../icon.tsx";
import { Button } from "../button.tsx";
import { useFilledField } from "./form.tsx";
import { useComposedField } from "./use-composed-field.ts";
import { classNames } from "../class-names.ts";
import * as styles from "./field.module.css";

/** What a browser or a password manager may fill in (HTML, autofill field names). */
type AutoFill =
  | "off"
  | "name"
  | "given-name"
  | "email"
  | "username"
  | "current-password"
  | "new-password"
  | "one-time-code"
  | "tel";

interface FieldProps extends Omit<InputHTMLAttributes<HTMLInputElement>, "prefix" | "id" | "autoComplete"> {
  readonly autoComplete: AutoFill;
  readonly ref?: Ref<HTMLInputElement>;
  readonly label: string;
  /** Hides the label visually, for a field whose heading says the same. */
  readonly labelHidden?: boolean;
  readonly hint?: ReactNode;
  /** The error in the value. The field is marked invalid and the text is announced with it. */
  readonly error?: string | undefined;
  /** For a field whose value is state: receives typed text, and, with `whole`, text pasted or filled in without an event. */
  readonly onValue?: (value: string, whole: boolean) => void;
  /** Shown inside the field at the start: "$". */
  readonly prefix?: string;
  /** Shown inside the field at the end. */
  readonly trailing?: ReactElement;
}

/** A labelled text field with a hint and an error. */
export function Field({ label, labelHidden = false, hint, error, prefix, trailing, className, onValue, ...input }: FieldProps) {
  const id = useId();
  useFilledField(id, input.value, onValue && ((value) => onValue(value, true)));
  const take = ({ value }: HTMLInputElement, event: Event): void => onValue?.(value, isPaste(event));
  const composed = useComposedField(String(input.value ?? ""), take, take);
  const describedBy = [hint === undefined ? null : `${id}-hint`, error === undefined ? null : `${id}-error`]
    .filter(Boolean)
    .join(" ");
  return (
    <div className={styles.field}>
      <label htmlFor={id} className={labelHidden ? "sr-only" : undefined}>
        {label}
      </label>
      <div
        className={prefix === undefined ? styles.adorn : classNames(styles.adorn, styles.money)}
        dir={prefix === undefined ? undefined : "ltr"}
      >
        {prefix !== undefined && (
          <span className={styles.text} aria-hidden="true">
            {prefix}
          </span>
        )}
        <input
          {...input}
          {...(onValue && composed)}
          id={id}
          className={classNames(styles.input, className)}
          aria-invalid={error === undefined ? undefined : true}
          aria-describedby={describedBy || undefined}
        />
        {trailing}
      </div>
      {hint !== undefined && (
        <p className={styles.hint} id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {error !== undefined && (
        <p className={styles.error} id={`${id}-error`}>
          <Icon of={IconAlertCircle} />
          <span>{error}</span>
        </p>
      )}
    </div>
  );
}

function isPaste(event: Event): boolean {
  return event instanceof InputEvent && event.inputType === "insertFromPaste";
}

interface PasswordFieldProps extends Omit<FieldProps, "type" | "trailing" | "autoComplete"> {
  readonly autoComplete: "current-password" | "new-password";
  /** The address that the password belongs to, for password managers; "above" if a field above tells. */
  readonly account: string;
}

/** A password field with a button that reveals the password. */
export function PasswordField({ account, ...props }: PasswordFieldProps) {
  const { t } = useTranslation();
  const [shown, setShown] = useState(false);
  const shell = useShell();
  const field = (
    <Field
      {...props}
      type={shown ? "text" : "password"}
      className={styles.trailing}
      autoCapitalize="none"
      spellCheck={false}
      trailing={
        <Button
          className={styles.button}
          iconOnly
          aria-label={t("showPassword")}
          aria-pressed={shown}
          inert={shell}
          onClick={() => setShown(!shown)}
        >
          <Icon of={shown ? IconEyeOff : IconEye} />
        </Button>
      }
    />
  );
  if (account === "above") return field;
  return (
    <>
      <input type="text" autoComplete="username" value={account} readOnly hidden />
      {field}
    </>
  );
}
