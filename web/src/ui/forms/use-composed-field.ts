import { type ChangeEvent, type CompositionEvent, useState } from "react";

/** @param event the input's, or the end of the composition */
type TakeText = (field: HTMLInputElement, event: Event) => void;

/**
 * The props of a field whose value is state and may differ from what is typed. While an input method composes, the text in the field is
 * the method's: rewritten, it would get every character again. Its keys are kept from the page in `page-events.ts`.
 * @param onText takes the text once the composition has ended, if there is one
 * @param onDraft takes it while it is composed, for fields that need every character at once
 */
export function useComposedField(value: string, onText: TakeText, onDraft?: TakeText) {
  const [draft, setDraft] = useState<string | null>(null);
  return {
    value: draft ?? value,
    "data-composing": draft === null ? undefined : "",
    onChange: ({ target, nativeEvent }: ChangeEvent<HTMLInputElement>): void => {
      if (draft === null) return onText(target, nativeEvent);
      setDraft(target.value);
      onDraft?.(target, nativeEvent);
    },
    onCompositionStart: ({ currentTarget }: CompositionEvent<HTMLInputElement>): void => setDraft(currentTarget.value),
    onCompositionEnd: ({ currentTarget, nativeEvent }: CompositionEvent<HTMLInputElement>): void => {
      setDraft(null);
      onText(currentTarget, nativeEvent);
    },
  };
}
