import { Fragment, type ReactNode } from "react";

interface MarkedTextProps {
  /** For example "You agree to the <terms>Terms</terms>." */
  readonly text: string;
  /** For each mark, what its words become. */
  readonly parts: Readonly<Record<string, (words: string) => ReactNode>>;
}

/** A text with elements, such as links, in the middle of a sentence: each language marks the words and puts them in its own order. */
export function MarkedText({ text, parts }: MarkedTextProps) {
  // Splitting by a pattern with two groups gives plain words, a mark, its words, plain words, and so on.
  const pieces = text.split(/<(\w+)>([^<]*)<\/\w+>/);
  return pieces.map((piece, index) => {
    if (index % 3 === 0) return <span key={index}>{piece}</span>;
    return index % 3 === 1 && <Fragment key={index}>{parts[piece]?.(pieces[index + 1] ?? "")}</Fragment>;
  });
}
