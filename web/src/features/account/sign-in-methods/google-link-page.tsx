import { useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { useTranslation } from "react-i18next";
import { Navigate } from "react-router";
import { getGoogleAnswer } from "../../../session/address-secrets.ts";
import { ApiError, messageOf, request } from "../../../service/http.ts";
import { useTitle } from "../../../browser/use-title.ts";
import { EmptyState } from "../../../ui/empty-state.tsx";
import { ButtonLink } from "../../../ui/button.tsx";
import { Spinner } from "../../../ui/waiting/spinner.tsx";
import { toast } from "../../../ui/messages/toast.ts";
import { refreshAccount } from "../account-queries.ts";
import * as styles from "../account.module.css";

/** Google redirects here when a user connects a Google account. */
export function GoogleLinkPage() {
  const { t } = useTranslation("account");
  useTitle(t("google.title"));
  const answer = getGoogleAnswer();
  const usable = answer.code !== undefined && answer.error === undefined;
  const outcome = useQuery({
    queryKey: ["google-link", answer.code],
    queryFn: async () => {
      await request("POST /api/account/google/callback", { body: answer });
      return true;
    },
    enabled: usable,
    retry: false,
    retryOnMount: false,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
    staleTime: Number.POSITIVE_INFINITY,
  });
  useEffect(() => {
    if (!outcome.isSuccess) return;
    toast.success(t("google.connected"));
    void refreshAccount();
  }, [outcome.isSuccess, t]);

  if (outcome.isSuccess) return <Navigate to="/account" replace />;
  if (usable && !outcome.isError)
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
        text={answer.error === undefined ? failureText(outcome.error, t("google.failure")) : t("google.cancelled")}
        action={
          <ButtonLink pair="action" to="/account">
            {t("google.back")}
          </ButtonLink>
        }
      />
    </div>
  );
}

function failureText(error: unknown, fallback: string): string {
  const message = messageOf(error, fallback);
  const detail = error instanceof ApiError ? error.detail : undefined;
  return detail === undefined ? message : `${message}: ${detail}`;
}
