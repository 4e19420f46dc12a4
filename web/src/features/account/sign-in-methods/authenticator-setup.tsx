import type { AuthenticatorSetupResponse } from "@farline/contract/second-factor.ts";
import { IconCopy, IconExternalLink } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { request } from "../../../service/http.ts";
import { useServiceForm } from "../../../service/use-service-form.ts";
import { Banner } from "../../../ui/messages/banner.tsx";
import { Field } from "../../../ui/forms/field.tsx";
import { Icon } from "../../../ui/icon.tsx";
import { Button } from "../../../ui/button.tsx";
import { copyText } from "../copy-text.ts";
import { Form } from "../../../ui/forms/form.tsx";
import * as styles from "../account.module.css";

interface AuthenticatorSetupProps {
  readonly setup: AuthenticatorSetupResponse;
  readonly onCodes: (codes: readonly string[]) => void;
  readonly onCancel: () => void;
}

/** Shows the authenticator secret and enables two-factor sign-in once a code is verified. */
export function AuthenticatorSetup({ setup, onCodes, onCancel }: AuthenticatorSetupProps) {
  const { t } = useTranslation(["account", "common"]);
  const form = useServiceForm({
    empty: { code: "" },
    send: async (values) => {
      onCodes((await request("POST /api/account/authenticator/confirm", { body: values })).recovery_codes);
    },
    fallback: t("authenticator.failure"),
    focusOnRefusal: "code",
    focusAtFirst: "code",
  });
  return (
    <div className={styles.part}>
      <ol className={styles.steps}>
        <li>{t("authenticator.scan")}</li>
        <li>{t("authenticator.enter")}</li>
      </ol>
      <div className={styles.qrCode}>
        <QrCode qr={setup.qr} />
        <div className={styles.part}>
          <p className="muted small" id="secret-label">
            {t("authenticator.byHand")}
          </p>
          <code className={styles.secret} aria-labelledby="secret-label" dir="ltr">
            {setup.secret}
          </code>
          <div className="row">
            <Button size="sm" onClick={() => void copyText(setup.secret.replaceAll(" ", ""))}>
              <Icon of={IconCopy} />
              <span>{t("authenticator.copySecret")}</span>
            </Button>
            <a className="link" href={setup.uri}>
              <span>{t("authenticator.openApp")}</span>
              <Icon of={IconExternalLink} />
            </a>
          </div>
        </div>
      </div>
      <Form className={styles.form} noValidate onSubmit={form.submit}>
        {form.failure !== null && <Banner kind="error">{form.failure}</Banner>}
        <Field
          label={t("authenticator.code")}
          className="fig"
          autoComplete="one-time-code"
          inputMode="numeric"
          required
          {...form.field("code", { required: t("authenticator.codeRequired") })}
        />
        <div className="row">
          <Button pair="action" type="submit" busy={form.busy}>
            {t("authenticator.turnOn")}
          </Button>
          <Button onClick={onCancel}>{t("common:cancel")}</Button>
        </div>
      </Form>
    </div>
  );
}

/** The code that an authenticator app scans. */
export function QrCode({ qr }: { readonly qr: AuthenticatorSetupResponse["qr"] }) {
  const { t } = useTranslation("account");
  return (
    <svg className={styles.qr} viewBox={`0 0 ${qr.size} ${qr.size}`} role="img" aria-label={t("authenticator.qr")}>
      <rect className={styles.light} width={qr.size} height={qr.size} />
      <path className={styles.dark} d={qr.path} />
    </svg>
  );
}
