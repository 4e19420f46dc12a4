import { type ReactNode, type SelectHTMLAttributes, type TextareaHTMLAttributes, type Ref, useId } from "react";
import * as fieldStyles from "./field.module.css";

interface SelectFieldProps extends Omit<SelectHTMLAttributes<HTMLSelectElement>, "id"> {
  readonly ref?: Ref<HTMLSelectElement>;
  readonly label: string;
  readonly hint?: string;
  readonly error?: string | undefined;
  readonly children: ReactNode;
}

/** A labelled choice from a list. */
export function SelectField({ label, hint, error, children, ...select }: SelectFieldProps) {
  const id = useId();
  const describedBy = [hint === undefined ? null : `${id}-hint`, error === undefined ? null : `${id}-error`]
    .filter(Boolean)
    .join(" ");
  return (
    <div className={fieldStyles.field}>
      <label htmlFor={id}>{label}</label>
      <select
        {...select}
        id={id}
        className={fieldStyles.select}
        aria-invalid={error === undefined ? undefined : true}
        aria-describedby={describedBy || undefined}
      >
        {children}
      </select>
      {hint !== undefined && (
        <p className={fieldStyles.hint} id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {error !== undefined && (
        <p className={fieldStyles.error} id={`${id}-error`}>
          {error}
        </p>
      )}
    </div>
  );
}

interface TextFieldProps extends Omit<TextareaHTMLAttributes<HTMLTextAreaElement>, "id"> {
  readonly ref?: Ref<HTMLTextAreaElement>;
  readonly label: ReactNode;
  readonly error?: string | undefined;
}

/** A labelled field of several lines. */
export function LongTextField({ label, error, ...area }: TextFieldProps) {
  const id = useId();
  return (
    <div className={fieldStyles.field}>
      <label htmlFor={id}>{label}</label>
      <textarea
        {...area}
        id={id}
        className={fieldStyles.input}
        aria-invalid={error === undefined ? undefined : true}
        aria-describedby={error === undefined ? undefined : `${id}-error`}
      />
      {error !== undefined && (
        <p className={fieldStyles.error} id={`${id}-error`}>
          {error}
        </p>
      )}
    </div>
  );
}
