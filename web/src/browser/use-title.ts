import { useEffect } from "react";
import { useTranslation } from "react-i18next";

/** Sets the document title, for the browser tab and screen readers. */
export function useTitle(page: string): void {
  const { t } = useTranslation();
  useEffect(() => {
    document.title = t("title", { page });
  }, [page, t]);
}
