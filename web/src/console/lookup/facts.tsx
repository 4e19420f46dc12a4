import { classNames } from "../../ui/class-names.ts";
import * as styles from "./lookup.module.css";

/** Longer values get a line of their own on a phone. */
const MAX_SHORT_CHARS = 24;

/** Names with values; those without a value are left out. */
export function Facts({ of }: { readonly of: Readonly<Record<string, string | null>> }) {
  return (
    <dl className={styles.facts}>
      {Object.entries(of).map(([name, value]) =>
        value === null ? null : (
          <div key={name} className={classNames(styles.fact, value.length > MAX_SHORT_CHARS && styles.long)}>
            <dt className={styles.name}>{name}</dt>
            <dd className={styles.value}>{value}</dd>
          </div>
        ),
      )}
    </dl>
  );
}
