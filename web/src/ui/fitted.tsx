import type { CSSProperties, ReactNode } from "react";
import * as styles from "./money/phonecard.module.css";

/** Directional marks, which have no width. */
const DIRECTION_MARKS = /[\u200E\u200F\u2066-\u2069]/g;

interface FittedProps {
  /** The content's text, to know its length. */
  readonly text: string;
  /** The content, if it differs from the text. */
  readonly children?: ReactNode;
}

/** A line that never wraps: its font shrinks to fit the available width. */
export function Fitted({ text, children = text }: FittedProps) {
  return (
    <span className={styles.fitted} style={{ "--letters": text.replace(DIRECTION_MARKS, "").length } as CSSProperties}>
      <span>{children}</span>
    </span>
  );
}
