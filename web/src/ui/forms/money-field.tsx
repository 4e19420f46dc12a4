import { readDollars } from "@farline/domain/typed/typed-dollars.ts";
import type { ComponentProps } from "react";
import { Field } from "./field.tsx";

type MoneyFieldProps = Omit<ComponentProps<typeof Field>, "prefix" | "type" | "inputMode" | "autoComplete">;

/** A field for dollars, read with `readDollars`. A number field would drop the comma of "12,50" while it is typed. */
export function MoneyField(props: MoneyFieldProps) {
  return <Field {...props} prefix="$" inputMode="decimal" autoComplete="off" />;
}

/** The rule of a `MoneyField` in a form, for `useServiceForm`. @param message shown at what cannot be read */
export function dollarsRule(message: string) {
  const isReadable = (typed: unknown) => String(typed).trim() === "" || readDollars(String(typed)) !== null;
  return { validate: (typed: unknown) => isReadable(typed) || message };
}
