import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { type Control, type FieldValues, useWatch } from "react-hook-form";
import { readDraft, writeDraft } from "../browser/drafts.ts";
import { userQuery } from "./queries.ts";

/**
 * Keeps what a customer types into a form until it is sent, because the session may end meanwhile. It stays in the tab and is
 * restored for the same customer only; logging out deletes it.
 * @param name of the form and of what it is about
 * @param values as JSON
 * @param restore receives the kept values, once, unless the customer has typed before
 * @returns deletes the draft: the form was sent, or the customer has closed it
 */
export function useDraft<Values extends object>(name: string, values: Values, restore: (kept: Values) => void): () => void {
  const { data: user } = useQuery({ ...userQuery, enabled: false });
  const customerId = user?.id ?? null;
  const typed = JSON.stringify(values);
  const [initial] = useState(typed);
  const stage = useRef<"new" | "open" | "done">("new");
  useEffect(() => {
    if (customerId === null || stage.current === "done") return;
    const isFirst = stage.current === "new";
    stage.current = "open";
    const kept = isFirst && typed === initial ? readDraft(customerId, name) : null;
    // Fields added by a release since then start empty.
    if (kept !== null) restore({ ...(JSON.parse(initial) as Values), ...(JSON.parse(kept) as Values) });
    else writeDraft(customerId, name, typed === initial ? null : typed);
  });
  return () => {
    stage.current = "done";
    if (customerId !== null) writeDraft(customerId, name, null);
  };
}

interface DraftForm<Values extends FieldValues> {
  readonly control: Control<Values>;
  readonly restore: (values: Values) => void;
}

/** `useDraft` for a form of `useServiceForm`. */
export function useFormDraft<Values extends FieldValues>(name: string, { control, restore }: DraftForm<Values>): () => void {
  return useDraft(name, useWatch({ control }) as Values, restore);
}
