import { type SelectHTMLAttributes, useId } from "react";
import * as fieldStyles from "../../ui/forms/field.module.css";

interface SelectFieldProps extends Omit<SelectHTMLAttributes<HTMLSelectElement>, "onChange" | "id"> {
  readonly label: string;
  readonly hint?: string;
  /** Values and what is shown for them. */
  readonly options: readonly (readonly [value: string, text: string])[];
  readonly onChosen: (value: string) => void;
}

/** A labelled choice of one value. */
export function SelectField({ label, hint, options, onChosen, ...select }: SelectFieldProps) {
  const id = useId();
  return (
    <div className={fieldStyles.field}>
      <label htmlFor={id}>{label}</label>
      <select
        {...select}
        id={id}
        aria-describedby={hint && `${id}-hint`}
        className={fieldStyles.select}
        onChange={(event) => onChosen(event.target.value)}
      >
        {options.map(([value, text]) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
      {hint !== undefined && (
        <p className={fieldStyles.hint} id={`${id}-hint`}>
          {hint}
        </p>
      )}
    </div>
  );
}
