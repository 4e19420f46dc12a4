import * as styles from "./actions.module.css";

/** Shown at an amount that cannot be read: nothing is previewed or sent. */
export const UNREADABLE = "Enter an amount in dollars, for example 10 or 12.50";

/** What a movement of money would do: names and amounts. */
export function MoneyPreview({ of }: { readonly of: Readonly<Record<string, string | null>> }) {
  return (
    <dl className={styles.preview} aria-label="What it would do">
      {Object.entries(of).map(([name, value]) =>
        value === null ? null : (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ),
      )}
    </dl>
  );
}
