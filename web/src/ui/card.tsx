import { type ElementType, type ReactElement, type ReactNode, useId } from "react";
import { classNames } from "./class-names.ts";
import * as styles from "./card.module.css";

interface CardProps {
  /** The card's heading, also its accessible name. */
  readonly title?: string;
  /** Shown at the end of the heading's line. */
  readonly aside?: ReactElement | null | false;
  readonly as?: ElementType;
  readonly className?: string;
  readonly children: ReactNode;
}

/** A white card without a shadow. */
export function Card({ title, aside, as: Element = "section", className, children }: CardProps) {
  const id = useId();
  return (
    <Element className={classNames(styles.card, className)} aria-labelledby={title === undefined ? undefined : id}>
      {title !== undefined && (
        <div className={styles.head}>
          <h2 className="t-card" id={id}>
            {title}
          </h2>
          {aside}
        </div>
      )}
      {children}
    </Element>
  );
}
