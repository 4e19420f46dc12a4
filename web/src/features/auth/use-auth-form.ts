import { useState } from "react";
import { type DefaultValues, type FieldValues, type Path, type RegisterOptions, useForm } from "react-hook-form";
import { ApiError, messageOf } from "../../lib/http.ts";
import { signIn } from "./sign-in.ts";

interface AuthFormOptions<Values extends FieldValues> {
  readonly path: "/login" | "/register";
  readonly empty: Values;
  /** Shown when the service gave no message. */
  readonly fallback: string;
}

/**
 * A sign-in or sign-up form: sends its values, puts the service's texts at the fields they name, and moves the focus to
 * the first of them. What was typed stays.
 */
export function useAuthForm<Values extends FieldValues>({ path, empty, fallback }: AuthFormOptions<Values>) {
  const form = useForm<Values>({ defaultValues: empty as DefaultValues<Values> });
  const [failure, setFailure] = useState<string | null>(null);
  const names = Object.keys(empty) as Path<Values>[];

  function showFields(error: unknown): void {
    if (!(error instanceof ApiError)) return;
    const wrong = names.filter((name) => error.fields[name] !== undefined);
    for (const name of wrong)
      form.setError(name, { type: "server", message: error.fields[name] ?? "" }, { shouldFocus: name === wrong[0] });
  }

  const submit = form.handleSubmit(
    async (values) => {
      setFailure(null);
      try {
        await signIn(path, values);
      } catch (error) {
        setFailure(messageOf(error, fallback));
        showFields(error);
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
