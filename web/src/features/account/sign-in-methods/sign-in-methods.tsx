import type { SignInMethodsResponse } from "@farline/contract/second-factor.ts";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import google from "../../../assets/google.svg";
import { request } from "../../../service/http.ts";
import { configQuery, signInMethodsQuery, userQuery } from "../../../service/queries.ts";
import { useServiceForm } from "../../../service/use-service-form.ts";
import { useCallLive } from "../../../session/session.ts";
import { formatDate } from "../../../text/format.ts";
import { Button } from "../../../ui/button.tsx";
import { Card } from "../../../ui/card.tsx";
import { classNames } from "../../../ui/class-names.ts";
import { PasswordField } from "../../../ui/forms/field.tsx";
import { Banner } from "../../../ui/messages/banner.tsx";
import { toast } from "../../../ui/messages/toast.ts";
import { useChange } from "../../../ui/use-change.ts";
import { NotLoaded } from "../../../ui/waiting/loaded.tsx";
import { CardForm, ConfirmButton, OtherCallsEnd } from "../account-controls.tsx";
import { refreshAccount, refreshProfile } from "../account-queries.ts";
import { AuthenticatorCard } from "./authenticator-card.tsx";
import { PasskeysCard } from "./passkeys-card.tsx";
import * as fieldStyles from "../../../ui/forms/field.module.css";
import * as styles from "../account.module.css";

/** The second factor, passkeys and Google: every sign-in method except the password. */
export function SignInMethods() {
  const { t } = useTranslation("account");
  const methods = useQuery(signInMethodsQuery);
  const config = useQuery(configQuery);
  if (methods.data === undefined)
    return (
      <Card title={t("methods.title")}>
        <NotLoaded of={methods} failure={t("methods.loadFailure")} rows={3} />
      </Card>
    );
  const { authenticator, passkeys, google } = methods.data;
  return (
    <>
      <AuthenticatorCard authenticator={authenticator} />
      <PasskeysCard passkeys={passkeys} />
      {(google !== null || config.data?.google === true) && <GoogleCard google={google} />}
    </>
  );
}

/** Connects and disconnects sign-in with Google. */
function GoogleCard({ google: linked }: { readonly google: SignInMethodsResponse["google"] }) {
  const { t } = useTranslation("account");
  const { busy, failure, change } = useChange(t("google.failure"));
  const inCall = useCallLive();

  const connect = () =>
    change(async () => {
      const { url } = await request("POST /api/account/google/link");
      window.location.assign(url);
    });
  const disconnect = () =>
    change(async () => {
      await request("DELETE /api/account/google");
      await refreshAccount();
      toast.success(t("google.disconnected"));
    });

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
          <ConfirmButton
            busy={busy}
            title={t("google.disconnectTitle")}
            text={t("google.disconnectText")}
            action={t("google.disconnect")}
            onConfirm={() => void disconnect()}
          >
            <OtherCallsEnd />
          </ConfirmButton>
        )}
      </div>
      {linked === null && inCall && <p className={fieldStyles.hint}>{t("google.afterCall")}</p>}
    </Card>
  );
}

/** Changes the password, or sets the first one for a user without a password. */
export function PasswordCard({ hasPassword }: { readonly hasPassword: boolean }) {
  const { t } = useTranslation("account");
  const [open, setOpen] = useState(false);
  return (
    <Card title={t("password.title")}>
      <p className={classNames(styles.lead, "muted")}>{hasPassword ? t("password.text") : t("password.none")}</p>
      {open ? (
        <PasswordForm hasPassword={hasPassword} onClose={() => setOpen(false)} />
      ) : (
        <Button onClick={() => setOpen(true)}>{hasPassword ? t("password.change") : t("password.set")}</Button>
      )}
    </Card>
  );
}

const empty = { current_password: "", password: "", password_confirmation: "" };

function PasswordForm({ hasPassword, onClose }: { readonly hasPassword: boolean; readonly onClose: () => void }) {
  const { t } = useTranslation("account");
  const { data: user } = useQuery(userQuery);
  const form = useServiceForm({
    empty,
    send: async ({ current_password: present, ...wanted }) => {
      const body = hasPassword ? { ...wanted, current_password: present } : wanted;
      await request("POST /api/password", { body });
      toast.success(t("password.changed"));
      onClose();
      void refreshProfile();
      void refreshAccount(); // the other devices are signed out
    },
    fallback: t("password.failure"),
    focusOnRefusal: hasPassword ? "current_password" : "password",
    focusAtFirst: hasPassword ? "current_password" : "password",
  });
  return (
    <CardForm form={form} action={t("password.submit")} onCancel={onClose}>
      <OtherCallsEnd />
      {hasPassword && (
        <PasswordField
          account={user?.email ?? ""}
          label={t("password.current")}
          autoComplete="current-password"
          {...form.required("current_password", t("password.currentRequired"))}
        />
      )}
      <PasswordField
        account={hasPassword ? "above" : (user?.email ?? "")}
        label={t("password.new")}
        hint={t("password.hint")}
        autoComplete="new-password"
        {...form.required("password", t("password.newRequired"))}
      />
      <PasswordField
        account="above"
        label={t("password.again")}
        autoComplete="new-password"
        {...form.required("password_confirmation", t("password.againRequired"))}
      />
    </CardForm>
  );
}
