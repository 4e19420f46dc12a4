import { useSyncExternalStore, useEffect, createContext, useContext } from "react";
import { useTranslation } from "react-i18next";
import { isOnline, subscribeToOnline } from "./online.ts";

/** `isOnline`, as it changes. */
export function useOnline(): boolean {
  return useSyncExternalStore(subscribeToOnline, isOnline, () => true);
}

/** Sets the document title, for the browser tab and screen readers. */
export function useTitle(page: string): void {
  const { t } = useTranslation();
  useEffect(() => {
    document.title = t("title", { page });
  }, [page, t]);
}

/** True in the pages that the build draws without data. The service sends them until the app has loaded. */
export const ShellContext = createContext(false);

/** For controls that do nothing before the app has loaded: inert in a page drawn by the build. */
export function useShell(): boolean {
  return useContext(ShellContext);
}
