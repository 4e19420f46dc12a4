import { useTranslation } from "react-i18next";
import { useTitle } from "../lib/use-title.ts";
import { EmptyState } from "../ui/empty-state.tsx";
import { KeyLink } from "../ui/key.tsx";
import { SandboxNotice } from "./notices.tsx";

export function NotFoundPage() {
  const { t } = useTranslation();
  useTitle(t("notFound.title"));
  return (
    <>
      <SandboxNotice />
      <main className="main page" id="main">
        <EmptyState
          as="h1"
          title={t("notFound.title")}
          text={t("notFound.text")}
          action={
            <KeyLink pair="action" to="/">
              {t("notFound.home")}
            </KeyLink>
          }
        />
      </main>
    </>
  );
}
