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
    <Element
      ref={title === undefined ? undefined : keepFocus}
      className={classNames(styles.card, className)}
      aria-labelledby={title === undefined ? undefined : id}
    >
      {title !== undefined && (
        <div className={styles.head}>
          <h2 className="t-card" id={id} tabIndex={-1}>
            {title}
          </h2>
          {aside}
        </div>
      )}
      {children}
    </Element>
  );
}

/**
 * Moves the focus to the card's heading when the row or the form that has it goes. Else keyboards and screen readers begin again at the
 * top of the page. Returns the stop function.
 */
function keepFocus(card: HTMLElement): () => void {
  let last: Element | null = null;
  const remember = ({ target }: FocusEvent) => {
    last = target instanceof Element && target.closest("li, form") !== null ? target : null;
  };
  const observer = new MutationObserver(() => {
    if (last === null || last.isConnected) return;
    last = null;
    if (document.activeElement === document.body) card.querySelector("h2")?.focus({ preventScroll: true });
  });
  card.addEventListener("focusin", remember);
  observer.observe(card, { childList: true, subtree: true });
  return () => {
    card.removeEventListener("focusin", remember);
    observer.disconnect();
  };
}
