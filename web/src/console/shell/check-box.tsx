import * as styles from "./check-box.module.css";

interface CheckBoxProps {
  readonly label: string;
  readonly checked: boolean;
  readonly onCheck: (checked: boolean) => void;
}

/** A labelled box to tick. */
export function CheckBox({ label, checked, onCheck }: CheckBoxProps) {
  return (
    <label className={styles.check}>
      <input type="checkbox" checked={checked} onChange={(event) => onCheck(event.target.checked)} />
      <span>{label}</span>
    </label>
  );
}
