import type { CSSProperties, ReactNode } from "react";
import "./fitted.css";

/** Marks that turn the direction of writing, which take no room. */
const DIRECTION_MARKS = /[\u200E\u200F\u2066-\u2069]/g;

interface FittedProps {
  /** The content's text, to know its length. */
  readonly text: string;
  /** The content, where it is more than the text. */
  readonly children?: ReactNode;
}

/** One line that is never broken: it gets smaller where the place is too narrow for so many letters. */
export function Fitted({ text, children = text }: FittedProps) {
  return (
    <span className="fitted" style={{ "--letters": text.replace(DIRECTION_MARKS, "").length } as CSSProperties}>
      <span>{children}</span>
    </span>
  );
}
