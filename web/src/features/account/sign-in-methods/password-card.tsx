import { useState } from "react";
import { useTranslation } from "react-i18next";
import { request } from "../../../service/http.ts";
import { useServiceForm } from "../../../service/use-service-form.ts";
import { Banner } from "../../../ui/messages/banner.tsx";
import { Card } from "../../../ui/card.tsx";
import { PasswordField } from "../../../ui/forms/field.tsx";
import { Button } from "../../../ui/button.tsx";
import { toast } from "../../../ui/messages/toast.ts";
import { refreshAccount } from "../account-queries.ts";
import { refreshProfile } from "../refresh-profile.ts";
import { OtherCallsEnd } from "../other-calls-end.tsx";
import { Form } from "../../../ui/forms/form.tsx";
import { classNames } from "../../../ui/class-names.ts";
import * as styles from "../account.module.css";

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
  const { t } = useTranslation(["account", "common"]);
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
    <Form className={styles.form} noValidate onSubmit={form.submit}>
      {form.failure !== null && <Banner kind="error">{form.failure}</Banner>}
      <OtherCallsEnd />
      {hasPassword && (
        <PasswordField
          label={t("password.current")}
          autoComplete="current-password"
          required
          {...form.field("current_password", { required: t("password.currentRequired") })}
        />
      )}
      <PasswordField
        label={t("password.new")}
        hint={t("password.hint")}
        autoComplete="new-password"
        required
        {...form.field("password", { required: t("password.newRequired") })}
      />
      <PasswordField
        label={t("password.again")}
        autoComplete="new-password"
        required
        {...form.field("password_confirmation", { required: t("password.againRequired") })}
      />
      <div className="row">
        <Button pair="action" type="submit" busy={form.busy}>
          {t("password.submit")}
        </Button>
        <Button onClick={onClose}>{t("common:cancel")}</Button>
      </div>
    </Form>
  );
}
