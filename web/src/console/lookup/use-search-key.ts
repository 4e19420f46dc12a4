import { useEffect, useEffectEvent } from "react";
import { useLocation, useNavigate } from "react-router";
import { readSetting, writeSetting } from "../../browser/storage.ts";

const TYPING = "input, textarea, select, [contenteditable]";

/** What the search page reads from the browser's history. */
export interface SearchState {
  readonly text?: string;
  /** When the box was asked to take the focus; absent if it was not. */
  readonly focusedAt?: number;
}

const STORED = "farline-console-search-key";

/** Whether the key `/` leads to the search; operators can turn it off in their browser (WCAG 2.1.4). */
export function hasSearchKey(): boolean {
  return readSetting(STORED) !== "off";
}

export function setSearchKey(on: boolean): void {
  writeSetting(STORED, on ? null : "off");
}

/** The key `/` leads to the search box from every page. */
export function useSearchKey(): void {
  const navigate = useNavigate();
  const { pathname, state } = useLocation();
  useKeys(({ key }) => {
    if (key !== "/") return undefined;
    const isThere = pathname === "/operator/search";
    const next: SearchState = { ...(isThere ? (state as SearchState | null) : {}), focusedAt: performance.now() };
    return () => void navigate("/operator/search", { state: next, replace: isThere });
  });
}

/** Does what `actionOf` returns for a single key, unless these keys are turned off, somebody types or a dialog is open. */
export function useKeys(actionOf: (event: KeyboardEvent) => (() => void) | undefined): void {
  const onKey = useEffectEvent((event: KeyboardEvent) => {
    const act = actionOf(event);
    if (act === undefined || !hasSearchKey() || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target instanceof Element && event.target.matches(TYPING)) return;
    if (document.querySelector("dialog[open]") !== null) return;
    event.preventDefault();
    act();
  });
  useEffect(() => {
    const listener = (event: KeyboardEvent) => onKey(event);
    document.addEventListener("keydown", listener);
    return () => document.removeEventListener("keydown", listener);
  }, []);
}
