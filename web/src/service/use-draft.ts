import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { type Control, type FieldValues, useWatch } from "react-hook-form";
import { userQuery } from "./queries.ts";
import { readTab, writeTab } from "../browser/storage.ts";
import { ownKey } from "../browser/own-storage.ts";

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

/** Drafts of one customer; the oldest are dropped. */
const MAX_DRAFTS = 10;
/** Characters of one draft as JSON. Longer ones are not kept. */
const MAX_DRAFT_CHARS = 20_000;

const keyOf = (customerId: string) => ownKey(customerId, "drafts");

/** What a customer has typed into the form `name` of this tab, as JSON; null if nothing. */
export function readDraft(customerId: string, name: string): string | null {
  return readDrafts(customerId).get(name) ?? null;
}

/** Keeps a customer's draft, as JSON, in this tab until they log out; null removes it. */
export function writeDraft(customerId: string, name: string, draft: string | null): void {
  const drafts = readDrafts(customerId);
  if ((drafts.get(name) ?? null) === draft) return;
  drafts.delete(name);
  const newest: [string, string][] = draft === null || draft.length > MAX_DRAFT_CHARS ? [] : [[name, draft]];
  const kept = [...newest, ...drafts].slice(0, MAX_DRAFTS);
  writeTab(keyOf(customerId), kept.length === 0 ? null : JSON.stringify(kept));
}

/** By the form's name, newest first. */
function readDrafts(customerId: string): Map<string, string> {
  try {
    return new Map(JSON.parse(readTab(keyOf(customerId)) ?? "[]") as [string, string][]);
  } catch {
    return new Map();
  }
}
