import type { ButtonHTMLAttributes, ReactNode, Ref } from "react";
import { Link, type LinkProps } from "react-router";
import { classNames } from "./class-names.ts";
import * as styles from "./button.module.css";

/** What a button does, shown by its colour: petrol acts, yellow is money, green starts a call, red ends it. */
type ButtonColour = "action" | "credit" | "call" | "end" | "quiet";

interface ButtonLook {
  readonly pair?: ButtonColour;
  readonly size?: "sm" | "md" | "lg";
  /** Fills the width of its container. */
  readonly wide?: boolean;
  /** Contains only an icon: give it an `aria-label`. */
  readonly iconOnly?: boolean;
}

interface ButtonProps extends ButtonLook, ButtonHTMLAttributes<HTMLButtonElement> {
  readonly ref?: Ref<HTMLButtonElement>;
  /** Shows a spinner and ignores presses, but keeps focus. Pass the busy text as children. */
  readonly busy?: boolean;
  readonly children?: ReactNode;
}

export function buttonClass({ pair = "quiet", size = "md", wide, iconOnly }: ButtonLook, more?: string): string {
  return classNames(
    styles.btn,
    pair !== "quiet" && styles[pair],
    size !== "md" && styles[size],
    wide && styles.wide,
    iconOnly && styles.icon,
    more,
  );
}

/** A button that looks and moves like a telephone key. */
export function Button({
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
}: ButtonProps) {
  return (
    <button
      {...rest}
      type={type}
      className={buttonClass({ pair, size, wide, iconOnly }, className)}
      aria-busy={busy || undefined}
      aria-disabled={busy || rest["aria-disabled"]}
      onClick={(event) => {
        if (busy) event.preventDefault();
        else onClick?.(event);
      }}
    >
      {busy && <Spinner />}
      <span className={styles.label}>{children}</span>
    </button>
  );
}

/** A link that looks like a button. */
export function ButtonLink({ pair, size, wide, iconOnly, className, ...rest }: ButtonLook & LinkProps) {
  return <Link {...rest} className={buttonClass({ pair, size, wide, iconOnly }, className)} />;
}

/** A spinning ring. Adjacent text says what is in progress. */
export function Spinner({ large = false }: { readonly large?: boolean }) {
  return <span className={large ? classNames(styles.spin, styles.spinLarge) : styles.spin} aria-hidden="true" />;
}
