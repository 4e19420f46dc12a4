import * as styles from "./lookup.module.css";

/** Names with values; those without a value are left out. */
export function Facts({ of }: { readonly of: Readonly<Record<string, string | null>> }) {
  return (
    <dl className={styles.facts}>
      {Object.entries(of).map(([name, value]) =>
        value === null ? null : (
          <div key={name} className={styles.fact}>
            <dt className={styles.name}>{name}</dt>
            <dd className={styles.value}>{value}</dd>
          </div>
        ),
      )}
    </dl>
  );
}
