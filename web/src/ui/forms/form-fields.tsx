import {
  type ComponentProps,
  type ReactNode,
  type Ref,
  type SelectHTMLAttributes,
  type TextareaHTMLAttributes,
  useId,
} from "react";
import { classNames } from "../class-names.ts";
import * as fieldStyles from "./field.module.css";
import { readDollars } from "@farline/domain/typed/typed-dollars.ts";
import { Field } from "./field.tsx";
import type { NumberAlternative } from "@farline/contract/errors.ts";
import { useTranslation } from "react-i18next";
import { usePhoneText } from "../../text/phone-text.ts";
import { NumberQuestion } from "./number-question.tsx";
import { countryName } from "../../text/i18n.ts";

interface SelectFieldProps extends Omit<SelectHTMLAttributes<HTMLSelectElement>, "id"> {
  readonly ref?: Ref<HTMLSelectElement>;
  readonly label: string;
  readonly hint?: string;
  readonly error?: string | undefined;
  readonly children: ReactNode;
}

/** A labelled choice from a list. */
export function SelectField({ label, hint, error, children, className, ...select }: SelectFieldProps) {
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
        className={classNames(fieldStyles.select, className)}
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
        autoComplete="off"
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

type MoneyFieldProps = Omit<ComponentProps<typeof Field>, "prefix" | "type" | "inputMode" | "autoComplete">;

/** A field for dollars, read with `readDollars`. A number field would drop the comma of "12,50" while it is typed. */
export function MoneyField(props: MoneyFieldProps) {
  return <Field {...props} prefix="$" inputMode="decimal" autoComplete="off" />;
}

/** A link to copy: the field's focus selects all of it. */
export function LinkField(props: Pick<ComponentProps<typeof Field>, "label" | "value" | "hint">) {
  return <Field {...props} readOnly autoComplete="off" dir="ltr" onFocus={(event) => event.target.select()} />;
}

/** The rule of a `MoneyField` in a form, for `useServiceForm`. @param message shown at what cannot be read */
export function dollarsRule(message: string) {
  const isReadable = (typed: unknown) => String(typed).trim() === "" || readDollars(String(typed)) !== null;
  return { validate: (typed: unknown) => isReadable(typed) || message };
}

interface FormNumberQuestionProps {
  readonly form: {
    readonly question: { readonly choices: readonly NumberAlternative[]; readonly about: string | null } | null;
    readonly chooseNumber: (number: string) => void;
  };
}

/** The service's question which number a field of the form means; nothing without one. The answer fills the field. */
export function FormNumberQuestion({ form: { question, chooseNumber } }: FormNumberQuestionProps) {
  const { t } = useTranslation("common");
  const write = usePhoneText();
  if (question === null) return null;
  const { choices, about } = question;
  const ask = t(choices.length > 1 ? "numberQuestion.which" : "numberQuestion.this");
  return (
    <NumberQuestion
      question={about === null ? ask : `${about} ${ask}`}
      choices={choices.map(({ number, country_code, country_name }) => ({
        e164: number,
        text: write(number),
        country: countryName(country_code, country_name),
      }))}
      onChoose={chooseNumber}
    />
  );
}
