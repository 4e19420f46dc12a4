import type { HTMLAttributes, ReactNode } from "react";

interface ValueListProps extends HTMLAttributes<HTMLDListElement> {
  /** Names with their values; one whose value is null is left out. */
  readonly of: readonly { readonly name: ReactNode; readonly value: ReactNode }[];
  /** The class of each value. */
  readonly valueClass?: string | undefined;
}

/** Names with values. */
export function ValueList({ of, valueClass, ...list }: ValueListProps) {
  return (
    <dl {...list}>
      {of.map(({ name, value }, index) =>
        value === null ? null : (
          <div key={index}>
            <dt>{name}</dt>
            <dd className={valueClass}>{value}</dd>
          </div>
        ),
      )}
    </dl>
  );
}
