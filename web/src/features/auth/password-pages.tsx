import { forgotPasswordPath, mailLinkPaths } from "@farline/contract/constants.ts";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { useTitle } from "../../browser/page-hooks.ts";
import { ApiError, request } from "../../service/http.ts";
import { useServiceForm } from "../../service/use-service-form.ts";
import { useLinkToken } from "../../session/address-secrets.ts";
import { dropSession } from "../../session/session.ts";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { Field, PasswordField } from "../../ui/forms/field.tsx";
import { Form } from "../../ui/forms/form.tsx";
import { Banner } from "../../ui/messages/banner.tsx";
import { AuthFrame, MessageScreen } from "./auth-frame.tsx";
import * as styles from "./auth.module.css";

/** Requests a password-reset link. The response is the same for every address. */
export function ForgotPasswordPage() {
  const { t } = useTranslation("auth");
  useTitle(t("forgot.heading"));
  const [message, setMessage] = useState<string | null>(null);
  const form = useServiceForm({
    empty: { email: "" },
    send: async (values) => setMessage((await request("POST /api/password/forgot", { body: values })).message),
    fallback: t("forgot.failure"),
    focusOnRefusal: "email",
  });
  if (message !== null) return <MessageScreen title={t("forgot.sent")} text={message} />;
  return (
    <AuthFrame>
      <Form className={styles.form} noValidate onSubmit={form.submit}>
        <h1 className="t-page">{t("forgot.heading")}</h1>
        <p className="muted">{t("forgot.hint")}</p>
        {form.failure !== null && <Banner kind="error">{form.failure}</Banner>}
        <Field label={t("email")} type="email" autoComplete="email" {...form.required("email", t("emailRequired"))} />
        <Button pair="action" size="lg" wide type="submit" busy={form.busy}>
          {form.busy ? t("forgot.submitting") : t("forgot.submit")}
        </Button>
        <p className={styles.alt}>
          <Link className="link" to="/login">
            {t("forgot.back")}
          </Link>
        </p>
      </Form>
    </AuthFrame>
  );
}

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
  const account = useQuery({
    queryKey: ["password-reset", token],
    queryFn: () => request("POST /api/password/reset/account", { body: { token: token ?? "" } }),
    enabled: token !== null,
    staleTime: Infinity,
    retry: false,
  });
  const dead = account.error instanceof ApiError && account.error.code === "link_expired" ? account.error.message : null;
  if (outcome?.kind === "changed") return <MessageScreen title={t("reset.done")} text={outcome.text} />;
  if (token !== null && outcome === null && dead === null) {
    const email = account.data?.email ?? "";
    return <ResetForm key={token} token={token} account={email} lead={lead} onOutcome={setOutcome} />;
  }
  return (
    <MessageScreen
      alert
      title={t("reset.failed")}
      text={outcome?.text ?? dead ?? t("link.missing")}
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
  /** Whose password it is; empty until the service has answered. */
  readonly account: string;
  readonly lead: string | undefined;
  readonly onOutcome: (outcome: Outcome) => void;
}

function ResetForm({ token, account, lead, onOutcome }: ResetFormProps) {
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
          account={account}
          label={t("newPassword")}
          hint={t("passwordHint")}
          autoComplete="new-password"
          {...form.required("password", t("newPasswordRequired"))}
        />
        <PasswordField
          account="above"
          label={t("confirmPassword")}
          autoComplete="new-password"
          {...form.required("password_confirmation", t("confirmPasswordRequired"))}
        />
        <Button pair="action" size="lg" wide type="submit" busy={form.busy}>
          {form.busy ? t("reset.submitting") : t("reset.submit")}
        </Button>
      </Form>
    </AuthFrame>
  );
}
