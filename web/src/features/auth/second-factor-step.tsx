import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useServiceForm } from "../../service/use-service-form.ts";
import { passkeysSupported } from "../../session/passkey.ts";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { Field } from "../../ui/forms/field.tsx";
import { Form } from "../../ui/forms/form.tsx";
import { Banner } from "../../ui/messages/banner.tsx";
import { AuthFrame } from "./auth-frame.tsx";
import { PasskeyButton } from "./other-ways.tsx";
import { finishWithCode, type SecondFactor } from "./sign-in.ts";
import * as styles from "./auth.module.css";

interface SecondFactorStepProps {
  readonly factor: SecondFactor;
  /** Returns to the previous form; null to return to the sign-in page. */
  readonly onLeave: (() => void) | null;
}

/** The second step of a sign-in: a code of the authenticator app, a recovery code, or a passkey instead. */
export function SecondFactorStep({ factor, onLeave }: SecondFactorStepProps) {
  const { t } = useTranslation("auth");
  const [passkeyFailure, setPasskeyFailure] = useState<string | null>(null);
  const byRecovery = factor.methods.includes("recovery_code");
  const [recovery, setRecovery] = useState(!factor.methods.includes("authenticator") && byRecovery);
  const withPasskey = factor.methods.includes("passkey") && passkeysSupported();
  return (
    <AuthFrame>
      <div className={styles.form}>
        <h1 className="t-page">{t("secondFactor.heading")}</h1>
        {passkeyFailure !== null && <Banner kind="error">{passkeyFailure}</Banner>}
        <CodeForm key={String(recovery)} challenge={factor.challenge} recovery={recovery} />
        {factor.methods.includes("authenticator") && byRecovery && (
          <Button wide onClick={() => setRecovery(!recovery)}>
            {recovery ? t("secondFactor.useApp") : t("secondFactor.useRecovery")}
          </Button>
        )}
        {withPasskey && <PasskeyButton onFailure={setPasskeyFailure} />}
        {onLeave === null ? (
          <ButtonLink wide to="/login">
            {t("secondFactor.back")}
          </ButtonLink>
        ) : (
          <Button wide onClick={onLeave}>
            {t("secondFactor.back")}
          </Button>
        )}
      </div>
    </AuthFrame>
  );
}

function CodeForm({ challenge, recovery }: { readonly challenge: string; readonly recovery: boolean }) {
  const { t } = useTranslation("auth");
  const form = useServiceForm({
    empty: { code: "" },
    send: async ({ code }) => finishWithCode({ challenge, code }),
    fallback: t("login.failure"),
    focusOnRefusal: "code",
    focusAtFirst: "code",
  });
  const looks = recovery
    ? ({ autoComplete: "off", autoCapitalize: "none", spellCheck: false } as const)
    : ({ autoComplete: "one-time-code", inputMode: "numeric" } as const);
  return (
    <Form className={styles.fields} noValidate onSubmit={form.submit}>
      <p className="muted">{recovery ? t("secondFactor.recoveryHint") : t("secondFactor.appHint")}</p>
      {form.failure !== null && <Banner kind="error">{form.failure}</Banner>}
      <Field
        label={recovery ? t("secondFactor.recoveryCode") : t("secondFactor.code")}
        className="fig"
        required
        {...looks}
        {...form.field("code", { required: t("secondFactor.codeRequired") })}
      />
      <Button pair="action" size="lg" wide type="submit" busy={form.busy}>
        {form.busy ? t("login.submitting") : t("login.submit")}
      </Button>
    </Form>
  );
}
