import type { ButtonHTMLAttributes, ReactNode, Ref } from "react";
import { Link, type LinkProps } from "react-router";
import { classNames } from "./class-names.ts";
import { Spinner } from "./spinner.tsx";
import "./key.css";

/** What a key does, told by its colour: petrol acts, yellow is money, green opens the line, red ends it. */
type KeyPair = "action" | "credit" | "call" | "end" | "quiet";

interface KeyLook {
  readonly pair?: KeyPair;
  readonly size?: "sm" | "md" | "lg";
  /** As wide as its place. */
  readonly wide?: boolean;
  /** Holds one icon and no word: give it an `aria-label`. */
  readonly iconOnly?: boolean;
}

interface KeyProps extends KeyLook, ButtonHTMLAttributes<HTMLButtonElement> {
  readonly ref?: Ref<HTMLButtonElement>;
  /** Shows a spinner and takes no press, but keeps the focus. Give the busy text as children. */
  readonly busy?: boolean;
  readonly children?: ReactNode;
}

export function keyClass({ pair = "quiet", size = "md", wide, iconOnly }: KeyLook, more?: string): string {
  return classNames(
    "btn",
    pair !== "quiet" && `btn--${pair}`,
    size !== "md" && `btn--${size}`,
    wide && "btn--wide",
    iconOnly && "btn--icon",
    more,
  );
}

/** A button that looks and moves like a telephone key. */
export function Key({
  pair,
  size,
  wide,
  iconOnly,
  busy = false,
  className,
  onClick,
  type = "button",
  children,
  ...rest
}: KeyProps) {
  return (
    <button
      {...rest}
      type={type}
      className={keyClass({ pair, size, wide, iconOnly }, className)}
      aria-busy={busy || undefined}
      aria-disabled={busy || undefined}
      onClick={(event) => {
        if (busy) event.preventDefault();
        else onClick?.(event);
      }}
    >
      {busy && <Spinner />}
      {children}
    </button>
  );
}

/** A link that looks like a key. */
export function KeyLink({ pair, size, wide, iconOnly, className, ...rest }: KeyLook & LinkProps) {
  return <Link {...rest} className={keyClass({ pair, size, wide, iconOnly }, className)} />;
}
