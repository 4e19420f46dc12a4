import { forgotPasswordPath, mailLinkPaths } from "@farline/contract/constants.ts";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useLinkToken } from "../../session/address-secrets.ts";
import { ApiError, request } from "../../service/http.ts";
import { dropSession } from "../../session/session.ts";
import { useServiceForm } from "../../service/use-service-form.ts";
import { useTitle } from "../../browser/use-title.ts";
import { Banner } from "../../ui/messages/banner.tsx";
import { PasswordField } from "../../ui/forms/field.tsx";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { AuthFrame } from "./auth-frame.tsx";
import { MessageScreen } from "./link-screen.tsx";
import { Form } from "../../ui/forms/form.tsx";
import * as styles from "./auth.module.css";

type Outcome = { readonly kind: "changed" | "dead"; readonly text: string };

/** Sets a new password from a mailed link. Does not sign the user in. */
export function ResetPasswordPage() {
  const { t } = useTranslation("auth");
  useTitle(t("reset.heading"));
  const token = useLinkToken(mailLinkPaths.resetPassword);
  return <ResetPassword token={token} />;
}

interface ResetPasswordProps {
  /** Token from the mailed link. */
  readonly token: string | null;
  /** Why a password must be chosen when the user did not request it. */
  readonly lead?: string;
}

/** The new-password form and its result. */
export function ResetPassword({ token, lead }: ResetPasswordProps) {
  const { t } = useTranslation("auth");
  const [outcome, setOutcome] = useState<Outcome | null>(null);
  if (outcome?.kind === "changed") return <MessageScreen title={t("reset.done")} text={outcome.text} />;
  if (token !== null && outcome === null) return <ResetForm key={token} token={token} lead={lead} onOutcome={setOutcome} />;
  return (
    <MessageScreen
      alert
      title={t("reset.failed")}
      text={outcome?.text ?? t("link.missing")}
      more={
        <ButtonLink pair="action" size="lg" wide to={forgotPasswordPath}>
          {t("reset.newLink")}
        </ButtonLink>
      }
    />
  );
}

const empty = { password: "", password_confirmation: "" };

interface ResetFormProps {
  readonly token: string;
  readonly lead: string | undefined;
  readonly onOutcome: (outcome: Outcome) => void;
}

function ResetForm({ token, lead, onOutcome }: ResetFormProps) {
  const { t } = useTranslation("auth");
  const form = useServiceForm({
    empty,
    fallback: t("reset.failure"),
    focusOnRefusal: "password",
    send: async (values) => {
      try {
        const { message } = await request("POST /api/password/reset", { body: { token, ...values } });
        dropSession(); // a new password ends every session, this browser's too
        onOutcome({ kind: "changed", text: message });
      } catch (error) {
        if (!(error instanceof ApiError) || error.code !== "link_expired") throw error;
        onOutcome({ kind: "dead", text: error.message });
      }
    },
  });
  return (
    <AuthFrame>
      <Form className={styles.form} noValidate onSubmit={form.submit}>
        <h1 className="t-page">{t("reset.heading")}</h1>
        {lead !== undefined && <p className="lead">{lead}</p>}
        {form.failure !== null && <Banner kind="error">{form.failure}</Banner>}
        <PasswordField
          label={t("newPassword")}
          hint={t("passwordHint")}
          autoComplete="new-password"
          required
          {...form.field("password", { required: t("newPasswordRequired") })}
        />
        <PasswordField
          label={t("confirmPassword")}
          autoComplete="new-password"
          required
          {...form.field("password_confirmation", { required: t("confirmPasswordRequired") })}
        />
        <Button pair="action" size="lg" wide type="submit" busy={form.busy}>
          {form.busy ? t("reset.submitting") : t("reset.submit")}
        </Button>
      </Form>
    </AuthFrame>
  );
}
