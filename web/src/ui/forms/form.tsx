import {
  createContext,
  type FormEvent,
  type FormHTMLAttributes,
  useContext,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from "react";
import { flushSync } from "react-dom";

/** Receives the field's actual value; returns true if it differs from the page's state. */
type TakeValue = (value: string) => boolean;

const FormFields = createContext<Map<string, TakeValue> | null>(null);

interface FormProps extends Omit<FormHTMLAttributes<HTMLFormElement>, "onSubmit"> {
  /** @param wasFilled whether a field had been filled without an event */
  readonly onSubmit: (event: FormEvent<HTMLFormElement>, wasFilled: boolean) => unknown;
}

/**
 * A form whose fields are read when it is submitted: password managers and autofill may fill them without any event. Fields whose
 * value is state take part with `useFilledField` or `FilledField`; `useServiceForm` reads its own. Nothing is submitted while a field holds what
 * the browser cannot read.
 */
export function Form({ onSubmit, ...form }: FormProps) {
  const [fields] = useState(() => new Map<string, TakeValue>());
  const latest = useRef(onSubmit);
  useLayoutEffect(() => {
    latest.current = onSubmit;
  });
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    let wasFilled = false;
    const elements = [...event.currentTarget.elements];
    const unreadable = elements.find(isUnreadable);
    if (unreadable !== undefined) return void unreadable.reportValidity();
    flushSync(() => {
      for (const element of elements) {
        if (!("value" in element)) continue;
        if (fields.get(element.id)?.(String(element.value)) === true) wasFilled = true;
      }
    });
    latest.current(event, wasFilled);
  };
  return (
    <FormFields value={fields}>
      <form {...form} onSubmit={submit} />
    </FormFields>
  );
}

/** A browser gives an unfinished date as empty. Sent, it would mean what an empty field means, such as "now". The browser says what is missing. */
function isUnreadable(element: Element): element is HTMLInputElement {
  return "validity" in element && (element as HTMLInputElement).validity.badInput;
}

/** Lets the form around a field read it. @param value what the page shows, if it is state */
export function useFilledField(id: string, value: unknown, onFilled: ((value: string) => void) | undefined): void {
  const fields = useContext(FormFields);
  useEffect(() => {
    if (fields === null || onFilled === undefined || typeof value !== "string") return undefined;
    fields.set(id, (found) => {
      if (found === value) return false;
      onFilled(found);
      return true;
    });
    return () => void fields.delete(id);
  }, [fields, id, value, onFilled]);
}

interface FilledFieldProps {
  readonly id: string;
  readonly value: string;
  readonly onFilled: (value: string) => void;
}

/** `useFilledField` for an input element of the component that renders the form. */
export function FilledField({ id, value, onFilled }: FilledFieldProps) {
  useFilledField(id, value, onFilled);
  return null;
}
