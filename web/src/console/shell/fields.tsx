import type { ComponentProps, InputHTMLAttributes, Ref } from "react";
import { SelectField as Select } from "../../ui/forms/form-fields.tsx";
import * as styles from "../console.module.css";

/** The latest time that a field takes: without one, browsers take years of six digits, which are no time in ISO 8601. */
export const LAST_MINUTE = "9999-12-31T23:59";

interface SelectFieldProps extends Omit<ComponentProps<typeof Select>, "children"> {
  /** Values and what is shown for them. */
  readonly options: readonly (readonly [value: string, text: string])[];
  readonly onChosen?: (value: string) => void;
}

/** A labelled choice of one value. */
export function SelectField({ options, onChosen, ...select }: SelectFieldProps) {
  return (
    <Select {...select} {...(onChosen && { onChange: (event) => onChosen(event.target.value) })}>
      {options.map(([value, text]) => (
        <option key={value} value={value}>
          {text}
        </option>
      ))}
    </Select>
  );
}

interface CheckBoxProps extends Omit<InputHTMLAttributes<HTMLInputElement>, "type"> {
  readonly ref?: Ref<HTMLInputElement>;
  readonly label: string;
  readonly onCheck?: (checked: boolean) => void;
}

/** A labelled box to tick. */
export function CheckBox({ label, onCheck, ...input }: CheckBoxProps) {
  return (
    <label className={styles.check}>
      <input type="checkbox" {...input} {...(onCheck && { onChange: (event) => onCheck(event.target.checked) })} />
      <span>{label}</span>
    </label>
  );
}
