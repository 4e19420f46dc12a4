import * as styles from "./rows.module.css";

interface CalledProps {
  /** The contact's name; null without a contact. */
  readonly name: string | null;
  /** As people write it. */
  readonly number: string;
}

/** Who was called. A name has its number with it, because people have several: beneath it in rows, else where there is room. */
export function Called({ name, number }: CalledProps) {
  return (
    <>
      <bdi>{name ?? number}</bdi>
      {name !== null && (
        <>
          {" "}
          <small className={styles.number}>{number}</small>
        </>
      )}
    </>
  );
}
