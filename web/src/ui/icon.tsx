import type { ComponentType } from "react";
import "./icon.css";

type Shape = ComponentType<{ className?: string; "aria-hidden"?: boolean }>;

/** A Tabler icon in the size of its place. It says nothing to a screen reader: a word stands beside it or names the key. */
export function Icon({ of: Drawing, className }: { readonly of: Shape; readonly className?: string }) {
  return <Drawing className={className === undefined ? "icon" : `icon ${className}`} aria-hidden />;
}
