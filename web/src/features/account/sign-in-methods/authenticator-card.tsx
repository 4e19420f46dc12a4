import type { AuthenticatorSetupResponse, SignInMethodsResponse } from "@farline/contract/second-factor.ts";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { formatDate } from "../../../text/format.ts";
import { request } from "../../../service/http.ts";
import { Banner } from "../../../ui/messages/banner.tsx";
import { Card } from "../../../ui/card.tsx";
import { Button } from "../../../ui/button.tsx";
import { toast } from "../../../ui/messages/toast.ts";
import { refreshAccount } from "../account-queries.ts";
import { AuthenticatorSetup } from "./authenticator-setup.tsx";
import { ConfirmDialog } from "../confirm-dialog.tsx";
import { OtherCallsEnd } from "../other-calls-end.tsx";
import { RecoveryCodes } from "./recovery-codes.tsx";
import { useChange } from "../../../ui/use-change.ts";
import { Badge } from "../../../ui/status-badge.tsx";
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
  const [leaving, setLeaving] = useState(false);
  const left = authenticator.recovery_codes_left;

  const newCodes = () =>
    change(async () => {
      onCodes((await request("POST /api/account/authenticator/recovery-codes")).recovery_codes);
    });
  const turnOff = () => {
    setLeaving(false);
    return change(async () => {
      await request("DELETE /api/account/authenticator");
      await refreshAccount();
      toast.success(t("authenticator.turnedOff"));
    });
  };

  return (
    <div className={styles.part}>
      <p className="muted">{t("authenticator.since", { date: formatDate(authenticator.since) })}</p>
      <p>{t("recovery.left", { count: left })}</p>
      {failure !== null && <Banner kind="error">{failure}</Banner>}
      <div className="row">
        <Button busy={busy} onClick={() => void newCodes()}>
          {t("recovery.new")}
        </Button>
        <Button busy={busy} onClick={() => setLeaving(true)}>
          {t("authenticator.turnOff")}
        </Button>
      </div>
      <ConfirmDialog
        open={leaving}
        title={t("authenticator.turnOffTitle")}
        text={t("authenticator.turnOffText")}
        action={t("authenticator.turnOff")}
        onConfirm={() => void turnOff()}
        onClose={() => setLeaving(false)}
      >
        <OtherCallsEnd />
      </ConfirmDialog>
    </div>
  );
}
