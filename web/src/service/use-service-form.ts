import type { NumberAlternative } from "@farline/contract/errors.ts";
import { type FormEvent, useEffect, useState } from "react";
import { type DefaultValues, type FieldValues, type Path, type PathValue, type RegisterOptions, useForm } from "react-hook-form";
import { i18n } from "../text/i18n.ts";
import { ApiError, messageOf, wasCancelled } from "./http.ts";

interface ServiceFormOptions<Values extends FieldValues> {
  readonly empty: Values;
  /** Sends the values. Errors that it throws are shown, except an ApiError with the code `cancelled`. */
  readonly send: (values: Values) => Promise<void>;
  /** Shown when the service sent no message. */
  readonly fallback: string;
  /** Shown when no answer came. Default: the fallback, and to check the connection. */
  readonly unanswered?: string;
  /** Receives focus when the service refused without naming a field. */
  readonly focusOnRefusal?: Path<Values>;
  /** Receives focus when the form appears, for a form that the user just opened. */
  readonly focusAtFirst?: Path<Values>;
}

/** The question which number an ambiguous field means. */
interface NumberQuestion<Values extends FieldValues> {
  readonly field: Path<Values>;
  readonly choices: readonly NumberAlternative[];
  /** What the service says of a number of a former plan; null for one that is only ambiguous. */
  readonly about: string | null;
}

/**
 * A form that the service validates: sends its values, shows the service's messages at the fields they name, and focuses
 * the first of them. Typed values stay.
 */
export function useServiceForm<Values extends FieldValues>(options: ServiceFormOptions<Values>) {
  const { empty, send, fallback, unanswered, focusOnRefusal, focusAtFirst } = options;
  const form = useForm<Values>({ defaultValues: empty as DefaultValues<Values> });
  const [failure, setFailure] = useState<string | null>(null);
  const [question, setQuestion] = useState<NumberQuestion<Values> | null>(null);
  /** Fields of lists have paths such as `numbers.0.text`. */
  const isInForm = (path: string): path is Path<Values> => (path.split(".", 1)[0] ?? "") in empty;
  const { setFocus } = form;
  useEffect(() => {
    if (focusAtFirst !== undefined) setFocus(focusAtFirst);
  }, [focusAtFirst, setFocus]);

  /** A message shown at a field is not repeated above the form. */
  function show(error: unknown): void {
    // The request may have succeeded before our own code failed, so nothing is said about it.
    if (!(error instanceof ApiError)) {
      reportError(error);
      return setFailure(i18n.t("crash.title"));
    }
    const { fields } = error;
    const wrong = Object.keys(fields).filter(isInForm);
    const [asked] = wrong;
    if (error.choices !== undefined && asked !== undefined) {
      const about = error.reason === "number_ambiguous" ? null : (fields[asked] ?? null);
      return setQuestion({ field: asked, choices: error.choices, about });
    }
    for (const name of wrong)
      form.setError(name, { type: "server", message: fields[name] ?? "" }, { shouldFocus: name === wrong[0] });
    const message = messageOf(error, fallback, unanswered);
    if (!wrong.some((name) => fields[name] === message)) setFailure(message);
    if (wrong.length === 0 && focusOnRefusal !== undefined) setFocus(focusOnRefusal);
  }

  /** Password managers and autofill may fill fields without any event. */
  function readFields(event: FormEvent<HTMLFormElement>): void {
    for (const element of event.currentTarget.elements) {
      if (
        !(element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement || element instanceof HTMLSelectElement)
      )
        continue;
      const { name, value } = element;
      if (!isInForm(name) || typeof form.getValues(name) !== "string" || form.getValues(name) === value) continue;
      form.setValue(name, value as PathValue<Values, Path<Values>>);
    }
  }

  const sendValues = form.handleSubmit(
    async (values) => {
      setFailure(null);
      setQuestion(null);
      try {
        await send(values);
      } catch (error) {
        if (!wasCancelled(error)) show(error);
      }
    },
    () => setFailure(null),
  );
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    readFields(event);
    void sendValues(event);
  };

  /** Answers the question which number is meant. */
  function chooseNumber(number: string): void {
    if (question === null) return;
    form.setValue(question.field, number as PathValue<Values, Path<Values>>);
    setQuestion(null);
    setFocus(question.field);
  }

  /** The props that make a field part of the form. */
  function field(name: Path<Values>, rules: RegisterOptions<Values, Path<Values>>) {
    const error = form.getFieldState(name, form.formState).error?.message;
    return { ...form.register(name, rules), error: error || undefined };
  }

  /** As `field`, for one that must be filled in. @param message shown while it is empty */
  const required = (name: Path<Values>, message: string) => ({ ...field(name, { required: message }), required: true });
  const busy = form.formState.isSubmitting;
  const restore = (values: Values): void => form.reset(values, { keepDefaultValues: true });
  return { submit, field, required, failure, question, chooseNumber, busy, control: form.control, restore };
}
