import type { ComponentType } from "react";
import "./icon.css";

type Shape = ComponentType<{ className?: string; "aria-hidden"?: boolean }>;

/** A Tabler icon at its container's size. Hidden from screen readers: text or the button's label names it. */
export function Icon({ of: Drawing, className }: { readonly of: Shape; readonly className?: string }) {
  return <Drawing className={className === undefined ? "icon" : `icon ${className}`} aria-hidden />;
}
