import { forgotPasswordPath } from "@farline/contract/constants.ts";
import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { useTitle } from "../../browser/page-hooks.ts";
import { useServiceForm } from "../../service/use-service-form.ts";
import { forgetSessionEnd, hasCallEnded, readSessionEnd } from "../../session/session.ts";
import { Button } from "../../ui/button.tsx";
import { Field, PasswordField } from "../../ui/forms/field.tsx";
import { Form } from "../../ui/forms/form.tsx";
import { Banner } from "../../ui/messages/banner.tsx";
import { AuthFrame } from "./auth-frame.tsx";
import { OtherWays } from "./other-ways.tsx";
import { SecondFactorStep } from "./second-factor-step.tsx";
import { type SecondFactor, signIn } from "./sign-in.ts";
import { RobotCheckStatus, useRobotCheck } from "./use-robot-check.tsx";
import * as styles from "./auth.module.css";

const empty = { email: "", password: "" };

export function LoginPage() {
  const { t } = useTranslation("auth");
  useTitle(t("login.title"));
  const [factor, setFactor] = useState<SecondFactor | null>(null);
  if (factor !== null) return <SecondFactorStep factor={factor} onLeave={() => setFactor(null)} />;
  return <PasswordStep onSecondFactor={setFactor} />;
}

function PasswordStep({ onSecondFactor }: { readonly onSecondFactor: (factor: SecondFactor | null) => void }) {
  const { t } = useTranslation("auth");
  const robotCheck = useRobotCheck();
  const [ended] = useState(readSessionEnd);
  const [callEnded] = useState(hasCallEnded);
  useEffect(() => forgetSessionEnd, []);
  const [otherFailure, setOtherFailure] = useState<string | null>(null);
  const form = useServiceForm({
    empty,
    send: async (values) => {
      setOtherFailure(null);
      onSecondFactor(await robotCheck.run((proof) => signIn(values, proof)));
    },
    fallback: t("login.failure"),
    focusOnRefusal: "password",
  });
  const failure = otherFailure ?? form.failure;
  return (
    <AuthFrame>
      <Form className={styles.form} method="post" noValidate onSubmit={form.submit}>
        <h1 className="t-page">{t("login.heading")}</h1>
        {failure !== null && <Banner kind="error">{failure}</Banner>}
        {failure === null && ended !== null && (
          <Banner kind="info">
            <span>{t([`login.ended.${ended}`, "login.ended.unknown"])}</span>{" "}
            {callEnded && <span>{t("login.ended.with_call")}</span>}
          </Banner>
        )}
        <Field label={t("email")} type="email" autoComplete="username" {...form.required("email", t("emailRequired"))} />
        <PasswordField
          account="above"
          label={t("password")}
          autoComplete="current-password"
          {...form.required("password", t("passwordRequired"))}
        />
        <p className={styles.forgot}>
          <Link className="link" to={forgotPasswordPath}>
            {t("login.forgot")}
          </Link>
        </p>
        <div>
          <Button pair="action" size="lg" wide type="submit" busy={form.busy}>
            {form.busy ? t("login.submitting") : t("login.submit")}
          </Button>
          <RobotCheckStatus checking={robotCheck.checking} />
        </div>
        <OtherWays passkey onFailure={setOtherFailure} />
        <p className={styles.alt}>
          <span>{t("login.new")}</span>{" "}
          <Link className="link" to="/register">
            {t("login.signUp")}
          </Link>
        </p>
      </Form>
    </AuthFrame>
  );
}
