import { useState } from "react";
import { classNames } from "./class-names.ts";
import * as styles from "./icon.module.css";

interface FlagProps {
  /** ISO 3166-1 alpha-2. */
  readonly code: string;
  readonly size?: "sm" | "md" | "lg";
}

/** XK is Kosovo. All other X codes are ours, for numbers outside any country, and have no flag. */
function hasFlag(code: string): boolean {
  return /^(?!X[^K])[A-Z]{2}$/.test(code);
}

/** A country's flag. It has no accessible name because the country's name is always beside it. */
export function Flag({ code, size = "md" }: FlagProps) {
  const [missing, setMissing] = useState<string | null>(null);
  const look = classNames(styles.flag, size !== "md" && styles[size]);
  if (!hasFlag(code) || missing === code) return <span className={classNames(look, styles.none)} aria-hidden="true" />;
  return (
    <img
      className={look}
      src={`${__FLAGS_FOLDER__}/${code}.svg`}
      alt=""
      width="30"
      height="20"
      loading="lazy"
      onError={() => setMissing(code)}
    />
  );
}
