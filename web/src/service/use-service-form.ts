import { useEffect, useState } from "react";
import { type DefaultValues, type FieldValues, type Path, type RegisterOptions, useForm } from "react-hook-form";
import { ApiError, messageOf } from "./http.ts";

interface ServiceFormOptions<Values extends FieldValues> {
  readonly empty: Values;
  /** Sends the values. What it throws is shown; an ApiError with the code `cancelled` is not. */
  readonly send: (values: Values) => Promise<void>;
  /** Shown when the service gave no message. */
  readonly fallback: string;
  /** Where the focus goes when the service refused without naming a field. */
  readonly focusOnRefusal?: Path<Values>;
  /** Where the focus goes when the form appears, for a form that a person has just asked for. */
  readonly focusAtFirst?: Path<Values>;
}

/**
 * A form whose judge is the service: sends its values, puts the service's texts at the fields they name, and moves the
 * focus to the first of them. What was typed stays.
 */
export function useServiceForm<Values extends FieldValues>(options: ServiceFormOptions<Values>) {
  const { empty, send, fallback, focusOnRefusal, focusAtFirst } = options;
  const form = useForm<Values>({ defaultValues: empty as DefaultValues<Values> });
  const [failure, setFailure] = useState<string | null>(null);
  const names = Object.keys(empty) as Path<Values>[];
  const { setFocus } = form;
  useEffect(() => {
    if (focusAtFirst !== undefined) setFocus(focusAtFirst);
  }, [focusAtFirst, setFocus]);

  /** What stands at a field already is not said a second time above the form. */
  function show(error: unknown): void {
    const fields = error instanceof ApiError ? error.fields : {};
    const wrong = names.filter((name) => fields[name] !== undefined);
    for (const name of wrong)
      form.setError(name, { type: "server", message: fields[name] ?? "" }, { shouldFocus: name === wrong[0] });
    const message = messageOf(error, fallback);
    if (!wrong.some((name) => fields[name] === message)) setFailure(message);
    if (wrong.length === 0 && focusOnRefusal !== undefined) setFocus(focusOnRefusal);
  }

  const submit = form.handleSubmit(
    async (values) => {
      setFailure(null);
      try {
        await send(values);
      } catch (error) {
        if (!(error instanceof ApiError && error.code === "cancelled")) show(error);
      }
    },
    () => setFailure(null),
  );

  /** Everything a field needs to be part of the form. */
  function field(name: Path<Values>, rules: RegisterOptions<Values, Path<Values>>) {
    const error = form.formState.errors[name]?.message;
    return { ...form.register(name, rules), error: typeof error === "string" && error !== "" ? error : undefined };
  }

  return { submit, field, failure, busy: form.formState.isSubmitting };
}
