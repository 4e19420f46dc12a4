import { useEffect } from "react";
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

/** The key `/` leads to the search box from every page, unless it is turned off, somebody types or a dialog is open. */
export function useSearchKey(): void {
  const navigate = useNavigate();
  const { pathname, state } = useLocation();
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (!hasSearchKey() || event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.target instanceof Element && event.target.matches(TYPING)) return;
      if (document.querySelector("dialog[open]") !== null) return;
      event.preventDefault();
      const isThere = pathname === "/operator/search";
      const next: SearchState = { ...(isThere ? (state as SearchState | null) : {}), focusedAt: performance.now() };
      void navigate("/operator/search", { state: next, replace: isThere });
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, [navigate, pathname, state]);
}
