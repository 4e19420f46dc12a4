import type { SignInMethodsResponse } from "@farline/contract/second-factor.ts";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import google from "../../../assets/google.svg";
import { formatDate } from "../../../text/format.ts";
import { request } from "../../../service/http.ts";
import { useCallLive } from "../../../session/session.ts";
import { Banner } from "../../../ui/messages/banner.tsx";
import { Card } from "../../../ui/card.tsx";
import { Button } from "../../../ui/button.tsx";
import { toast } from "../../../ui/messages/toast.ts";
import { refreshAccount } from "../account-queries.ts";
import { ConfirmDialog } from "../confirm-dialog.tsx";
import { OtherCallsEnd } from "../other-calls-end.tsx";
import { useChange } from "../../../ui/use-change.ts";
import { classNames } from "../../../ui/class-names.ts";
import * as fieldStyles from "../../../ui/forms/field.module.css";
import * as styles from "../account.module.css";

/** Connects and disconnects sign-in with Google. */
export function GoogleCard({ google: linked }: { readonly google: SignInMethodsResponse["google"] }) {
  const { t } = useTranslation("account");
  const { busy, failure, change } = useChange(t("google.failure"));
  const inCall = useCallLive();
  const [leaving, setLeaving] = useState(false);

  const connect = () =>
    change(async () => {
      const { url } = await request("POST /api/account/google/link");
      window.location.assign(url);
    });
  const disconnect = () => {
    setLeaving(false);
    return change(async () => {
      await request("DELETE /api/account/google");
      await refreshAccount();
      toast.success(t("google.disconnected"));
    });
  };

  return (
    <Card title={t("google.title")}>
      <p className={classNames(styles.lead, "muted")}>
        {linked === null ? t("google.text") : t("google.since", { email: linked.email, date: formatDate(linked.linked_at) })}
      </p>
      {failure !== null && <Banner kind="error">{failure}</Banner>}
      <div className={styles.foot}>
        {linked === null ? (
          // Google's page would replace this one and end the call.
          <Button busy={busy} disabled={inCall} onClick={() => void connect()}>
            <img src={google} alt="" width="22" height="22" />
            <span>{t("google.connect")}</span>
          </Button>
        ) : (
          <Button busy={busy} onClick={() => setLeaving(true)}>
            {t("google.disconnect")}
          </Button>
        )}
      </div>
      {linked === null && inCall && <p className={fieldStyles.hint}>{t("google.afterCall")}</p>}
      <ConfirmDialog
        open={leaving}
        title={t("google.disconnectTitle")}
        text={t("google.disconnectText")}
        action={t("google.disconnect")}
        onConfirm={() => void disconnect()}
        onClose={() => setLeaving(false)}
      >
        <OtherCallsEnd />
      </ConfirmDialog>
    </Card>
  );
}
