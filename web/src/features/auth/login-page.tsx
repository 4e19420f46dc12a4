import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { useTitle } from "../../lib/use-title.ts";
import { Banner } from "../../ui/banner.tsx";
import { Field, PasswordField } from "../../ui/field.tsx";
import { Key } from "../../ui/key.tsx";
import { AuthFrame } from "./auth-frame.tsx";
import { useAuthForm } from "./use-auth-form.ts";

export function LoginPage() {
  const { t } = useTranslation("auth");
  useTitle(t("login.title"));
  const form = useAuthForm({ path: "/login", empty: { email: "", password: "" }, fallback: t("login.failure") });
  return (
    <AuthFrame>
      <form className="auth__form" noValidate onSubmit={form.submit}>
        <h1 className="t-page">{t("login.heading")}</h1>
        {form.failure !== null && <Banner kind="error">{form.failure}</Banner>}
        <Field
          label={t("email")}
          type="email"
          autoComplete="email"
          required
          {...form.field("email", { required: t("emailRequired") })}
        />
        <PasswordField
          label={t("password")}
          autoComplete="current-password"
          required
          {...form.field("password", { required: t("passwordRequired") })}
        />
        <Key pair="action" size="lg" wide type="submit" busy={form.busy}>
          {form.busy ? t("login.submitting") : t("login.submit")}
        </Key>
        <p className="auth__alt">
          {t("login.new")}{" "}
          <Link className="link" to="/register">
            {t("login.signUp")}
          </Link>
        </p>
      </form>
    </AuthFrame>
  );
}
