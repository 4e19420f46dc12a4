import { useEffect } from "react";
import { useTranslation } from "react-i18next";
import { Navigate } from "react-router";
import * as styles from "../account.module.css";
import { useTitle } from "../../../browser/page-hooks.ts";
import { request } from "../../../service/http.ts";
import { googleFailureText, useGoogleAnswer } from "../../../session/google-answer.ts";
import { ButtonLink, Spinner } from "../../../ui/button.tsx";
import { EmptyState } from "../../../ui/empty-state.tsx";
import { toast } from "../../../ui/messages/toast.ts";
import { refreshAccount } from "../account-queries.ts";

/** Google redirects here when a user connects a Google account. */
export function GoogleLinkPage() {
  const { t } = useTranslation("account");
  useTitle(t("google.title"));
  const { answer, isUsable, outcome } = useGoogleAnswer("google-link", async (body) => {
    await request("POST /api/account/google/callback", { body });
    return true;
  });
  useEffect(() => {
    if (!outcome.isSuccess) return;
    toast.success(t("google.connected"));
    void refreshAccount();
  }, [outcome.isSuccess, t]);

  if (outcome.isSuccess) return <Navigate to="/account" replace />;
  if (isUsable && !outcome.isError)
    return (
      <div className={styles.wait} role="status">
        <Spinner large />
        <h1 className="t-page">{t("google.connecting")}</h1>
      </div>
    );
  return (
    <div role="alert">
      <EmptyState
        as="h1"
        title={t("google.notConnected")}
        text={answer.error === undefined ? googleFailureText(outcome.error, t("google.failure")) : t("google.cancelled")}
        action={
          <ButtonLink pair="action" to="/account">
            {t("google.back")}
          </ButtonLink>
        }
      />
    </div>
  );
}
