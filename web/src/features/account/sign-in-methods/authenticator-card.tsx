import type { AuthenticatorSetupResponse, SignInMethodsResponse } from "@farline/contract/second-factor.ts";
import { IconCopy, IconDownload, IconExternalLink } from "@tabler/icons-react";
import { useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { saveFile } from "../../../browser/save-file.ts";
import { request } from "../../../service/http.ts";
import { useServiceForm } from "../../../service/use-service-form.ts";
import { formatDate } from "../../../text/format.ts";
import { Button } from "../../../ui/button.tsx";
import { Card } from "../../../ui/card.tsx";
import { classNames } from "../../../ui/class-names.ts";
import { Field } from "../../../ui/forms/field.tsx";
import { Icon } from "../../../ui/icon.tsx";
import { Banner } from "../../../ui/messages/banner.tsx";
import { toast } from "../../../ui/messages/toast.ts";
import { Badge } from "../../../ui/status-badge.tsx";
import { useChange } from "../../../ui/use-change.ts";
import { CardForm, ConfirmButton, copyText, OtherCallsEnd } from "../account-controls.tsx";
import { refreshAccount } from "../account-queries.ts";
import * as styles from "../account.module.css";

type Authenticator = SignInMethodsResponse["authenticator"];

type Step =
  | { readonly name: "rest" }
  | { readonly name: "setup"; readonly setup: AuthenticatorSetupResponse }
  | { readonly name: "codes"; readonly codes: readonly string[] };

/** The second step of every sign-in: codes of an authenticator app, with recovery codes for when the app is lost. */
export function AuthenticatorCard({ authenticator }: { readonly authenticator: Authenticator }) {
  const { t } = useTranslation("account");
  const [step, setStep] = useState<Step>({ name: "rest" });
  const showCodes = (codes: readonly string[]) => {
    setStep({ name: "codes", codes });
    void refreshAccount();
  };
  const rest = () => setStep({ name: "rest" });
  return (
    <Card title={t("authenticator.title")} aside={<OnOff on={authenticator !== null} />}>
      {step.name === "setup" && <AuthenticatorSetup setup={step.setup} onCodes={showCodes} onCancel={rest} />}
      {step.name === "codes" && <RecoveryCodes codes={step.codes} onDone={rest} />}
      {step.name === "rest" && authenticator === null && <Off onSetup={(setup) => setStep({ name: "setup", setup })} />}
      {step.name === "rest" && authenticator !== null && <On authenticator={authenticator} onCodes={showCodes} />}
    </Card>
  );
}

function OnOff({ on }: { readonly on: boolean }) {
  const { t } = useTranslation("account");
  return (
    <Badge plain {...(on && { like: "completed" })}>
      <span>{on ? t("on") : t("off")}</span>
    </Badge>
  );
}

function Off({ onSetup }: { readonly onSetup: (setup: AuthenticatorSetupResponse) => void }) {
  const { t } = useTranslation("account");
  const { busy, failure, change } = useChange(t("authenticator.failure"));
  const start = () => change(async () => onSetup(await request("POST /api/account/authenticator")));
  return (
    <div className={styles.part}>
      <p className="muted">{t("authenticator.text")}</p>
      {failure !== null && <Banner kind="error">{failure}</Banner>}
      <Button busy={busy} onClick={() => void start()}>
        {t("authenticator.setUp")}
      </Button>
    </div>
  );
}

interface OnProps {
  readonly authenticator: NonNullable<Authenticator>;
  readonly onCodes: (codes: readonly string[]) => void;
}

function On({ authenticator, onCodes }: OnProps) {
  const { t } = useTranslation("account");
  const { busy, failure, change } = useChange(t("authenticator.failure"));
  const left = authenticator.recovery_codes_left;

  const newCodes = () =>
    change(async () => {
      onCodes((await request("POST /api/account/authenticator/recovery-codes")).recovery_codes);
    });
  const turnOff = () =>
    change(async () => {
      await request("DELETE /api/account/authenticator");
      await refreshAccount();
      toast.success(t("authenticator.turnedOff"));
    });

  return (
    <div className={styles.part}>
      <p className="muted">{t("authenticator.since", { date: formatDate(authenticator.since) })}</p>
      <p>{t("recovery.left", { count: left })}</p>
      {failure !== null && <Banner kind="error">{failure}</Banner>}
      <div className="row">
        <Button busy={busy} onClick={() => void newCodes()}>
          {t("recovery.new")}
        </Button>
        <ConfirmButton
          busy={busy}
          title={t("authenticator.turnOffTitle")}
          text={t("authenticator.turnOffText")}
          action={t("authenticator.turnOff")}
          onConfirm={() => void turnOff()}
        >
          <OtherCallsEnd />
        </ConfirmButton>
      </div>
    </div>
  );
}

interface AuthenticatorSetupProps {
  readonly setup: AuthenticatorSetupResponse;
  readonly onCodes: (codes: readonly string[]) => void;
  readonly onCancel: () => void;
}

/** Shows the authenticator secret and enables two-factor sign-in once a code is verified. */
function AuthenticatorSetup({ setup, onCodes, onCancel }: AuthenticatorSetupProps) {
  const { t } = useTranslation("account");
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
      <CardForm form={form} action={t("authenticator.turnOn")} onCancel={onCancel}>
        <Field
          label={t("authenticator.code")}
          className="fig"
          autoComplete="one-time-code"
          inputMode="numeric"
          {...form.required("code", t("authenticator.codeRequired"))}
        />
      </CardForm>
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

const FILE_NAME = "farline-recovery-codes.txt";

interface RecoveryCodesProps {
  readonly codes: readonly string[];
  /** The user confirms the codes are saved; they are not shown again. */
  readonly onDone: () => void;
}

/** Recovery codes, shown only once. */
function RecoveryCodes({ codes, onDone }: RecoveryCodesProps) {
  const { t } = useTranslation("account");
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  const text = codes.join("\n");
  return (
    <div className={styles.part}>
      <h3 className="t-sub" ref={heading} tabIndex={-1}>
        {t("recovery.title")}
      </h3>
      <Banner kind="warn">{t("recovery.once")}</Banner>
      <ul className={classNames(styles.codes, "fig")} dir="ltr">
        {codes.map((code) => (
          <li key={code}>
            <code>{code}</code>
          </li>
        ))}
      </ul>
      <div className="row">
        <Button onClick={() => void copyText(text)}>
          <Icon of={IconCopy} />
          <span>{t("recovery.copy")}</span>
        </Button>
        <Button onClick={() => saveFile(FILE_NAME, `${t("recovery.fileHead")}\n\n${text}\n`, "text/plain;charset=utf-8")}>
          <Icon of={IconDownload} />
          <span>{t("recovery.download")}</span>
        </Button>
      </div>
      <Button pair="action" wide onClick={onDone}>
        {t("recovery.kept")}
      </Button>
    </div>
  );
}
