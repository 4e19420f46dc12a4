import type { GoogleCallbackRequest } from "@farline/contract/google.ts";
import { useTranslation } from "react-i18next";
import * as styles from "./auth.module.css";
import { useTitle } from "../../browser/page-hooks.ts";
import { googleFailureText, useGoogleAnswer } from "../../session/google-answer.ts";
import { ButtonLink, Spinner } from "../../ui/button.tsx";
import { classNames } from "../../ui/class-names.ts";
import { AuthFrame } from "./auth-frame.tsx";
import { SecondFactorStep } from "./second-factor-step.tsx";
import { signInWithGoogle } from "./sign-in.ts";

/** Google redirects here. After success the surrounding layout redirects to the dialer. */
export function GoogleCallbackPage() {
  const { t } = useTranslation("auth");
  const { answer, isUsable, outcome } = useGoogleAnswer("google-sign-in", signInWithGoogle);
  const failed = !isUsable || outcome.error !== null;
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

/** Why Google did not sign the user in. */
function failureText(answer: GoogleCallbackRequest, error: unknown, t: Texts): string {
  if (answer.error !== undefined) return t("google.cancelled");
  if (answer.code === undefined) return t("google.noCode");
  return googleFailureText(error, t("google.failed"));
}
