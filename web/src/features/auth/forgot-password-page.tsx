import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { request } from "../../service/http.ts";
import { useServiceForm } from "../../service/use-service-form.ts";
import { useTitle } from "../../browser/use-title.ts";
import { Banner } from "../../ui/messages/banner.tsx";
import { Field } from "../../ui/forms/field.tsx";
import { Button } from "../../ui/button.tsx";
import { AuthFrame } from "./auth-frame.tsx";
import { MessageScreen } from "./link-screen.tsx";
import { Form } from "../../ui/forms/form.tsx";
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
        <Field
          label={t("email")}
          type="email"
          autoComplete="email"
          required
          {...form.field("email", { required: t("emailRequired") })}
        />
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
