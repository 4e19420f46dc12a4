import type { GoogleCallbackRequest } from "@farline/contract/google.ts";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { getGoogleAnswer } from "../../session/address-secrets.ts";
import { ApiError, messageOf } from "../../service/http.ts";
import { useTitle } from "../../browser/use-title.ts";
import { ButtonLink } from "../../ui/button.tsx";
import { Spinner } from "../../ui/waiting/spinner.tsx";
import { AuthFrame } from "./auth-frame.tsx";
import { SecondFactorStep } from "./second-factor-step.tsx";
import { signInWithGoogle } from "./sign-in.ts";
import { classNames } from "../../ui/class-names.ts";
import * as styles from "./auth.module.css";

/** Google redirects here. After success the surrounding layout redirects to the dialer. */
export function GoogleCallbackPage() {
  const { t } = useTranslation("auth");
  const answer = getGoogleAnswer();
  const outcome = useGoogleSignIn(answer);
  const failed = answer.error !== undefined || answer.code === undefined || outcome.error !== null;
  useTitle(failed ? t("google.failedTitle") : t("login.title"));
  if (failed) return <Failed message={failureText(answer, outcome.error, t)} />;
  if (outcome.data) return <SecondFactorStep factor={outcome.data} onLeave={null} />;
  return (
    <AuthFrame>
      <div className={classNames(styles.form, styles.wait)} role="status">
        <Spinner large />
        <h1 className="t-page">{t("google.waiting")}</h1>
      </div>
    </AuthFrame>
  );
}

/** Exchanges the code for a session, once per code regardless of re-renders. */
function useGoogleSignIn(answer: GoogleCallbackRequest) {
  return useQuery({
    queryKey: ["google-sign-in", answer.code],
    queryFn: () => signInWithGoogle(answer),
    enabled: answer.code !== undefined && answer.error === undefined,
    retry: false,
    retryOnMount: false,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
    staleTime: Number.POSITIVE_INFINITY,
  });
}

function Failed({ message }: { readonly message: string }) {
  const { t } = useTranslation("auth");
  return (
    <AuthFrame>
      <div className={styles.form}>
        <div className={styles.said} role="alert">
          <h1 className="t-page">{t("google.failedTitle")}</h1>
          <p className="lead">{message}</p>
        </div>
        <ButtonLink pair="action" size="lg" wide to="/login">
          {t("google.return")}
        </ButtonLink>
      </div>
    </AuthFrame>
  );
}

type Texts = (key: "google.cancelled" | "google.noCode" | "google.failed") => string;

/** The service's message, followed by its detail after a colon; otherwise a text of our own. */
function failureText(answer: GoogleCallbackRequest, error: unknown, t: Texts): string {
  if (answer.error !== undefined) return t("google.cancelled");
  if (answer.code === undefined) return t("google.noCode");
  const message = messageOf(error, t("google.failed"));
  const detail = error instanceof ApiError ? error.detail : undefined;
  return detail === undefined ? message : `${message}: ${detail}`;
}
