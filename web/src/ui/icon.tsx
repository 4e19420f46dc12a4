import type { ComponentType } from "react";
import { classNames } from "./class-names.ts";
import * as styles from "./icon.module.css";

type Shape = ComponentType<{ className?: string; "aria-hidden"?: boolean }>;

/** A Tabler icon at its container's size. Hidden from screen readers: text or the button's label names it. */
export function Icon({ of: Drawing, className }: { readonly of: Shape; readonly className?: string }) {
  return <Drawing className={classNames(styles.icon, className)} aria-hidden />;
}
