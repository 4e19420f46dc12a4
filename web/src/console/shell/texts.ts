import { useEffect } from "react";

/** Sets the document's title, for the browser tab and screen readers. */
export function usePageTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} | Farline operators`;
  }, [title]);
}

/** A time as operators compare it with logs: "2026-11-26 08:30:05 UTC". @param instant ISO 8601 */
export function timeText(instant: string): string {
  return `${instant.slice(0, 10)} ${instant.slice(11, 19)} UTC`;
}
