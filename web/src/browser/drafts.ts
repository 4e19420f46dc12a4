import { ownKey } from "./own-storage.ts";
import { readTab, writeTab } from "./storage.ts";

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
