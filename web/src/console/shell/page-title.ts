import { useEffect } from "react";

/** Sets the document's title, for the browser tab and screen readers. */
export function usePageTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} | Farline operators`;
  }, [title]);
}
