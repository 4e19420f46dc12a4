import * as styles from "./actions.module.css";

interface TickFieldProps {
  readonly label: string;
  readonly checked: boolean;
  readonly onChecked: (checked: boolean) => void;
}

/** A labelled tick box. */
export function TickField({ label, checked, onChecked }: TickFieldProps) {
  return (
    <label className={styles.tick}>
      <input type="checkbox" checked={checked} onChange={(event) => onChecked(event.target.checked)} />
      <span>{label}</span>
    </label>
  );
}
