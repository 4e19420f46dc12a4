import type { User } from "@farline/contract/accounts.ts";
import { IconAlertTriangle, IconCircleCheckFilled } from "@tabler/icons-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { request } from "../../service/http.ts";
import { changeUser } from "../../service/queries.ts";
import { useServiceForm } from "../../service/use-service-form.ts";
import { formatDate } from "../../text/format.ts";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { Field } from "../../ui/forms/field.tsx";
import { Icon } from "../../ui/icon.tsx";
import { Banner } from "../../ui/messages/banner.tsx";
import { toast } from "../../ui/messages/toast.ts";
import { Badge } from "../../ui/status-badge.tsx";
import { ValueList } from "../../ui/value-list.tsx";
import { CardForm } from "./account-controls.tsx";
import { refreshAccount } from "./account-queries.ts";
import { useDeliveryWatch, useResendVerification } from "./notices.tsx";
import * as styles from "./account.module.css";

/** Name and email address, with the forms that change them. */
export function ProfileCard({ user }: { readonly user: User }) {
  const { t } = useTranslation("account");
  const [changing, setChanging] = useState<"name" | "email" | null>(null);
  const [message, setMessage] = useState<string | null>(null);
  return (
    <Card title={t("profile.title")}>
      <ValueList
        className={styles.facts}
        of={[
          { name: t("profile.name"), value: user.name },
          {
            name: t("profile.email"),
            value: (
              <>
                <span>{user.email}</span> <VerifiedMark verified={user.email_verified} />
              </>
            ),
          },
          { name: t("profile.since"), value: formatDate(user.created_at) },
        ]}
      />
      {!user.email_verified && <Unverified user={user} />}
      {message !== null && <Banner kind="info">{message}</Banner>}
      {changing === "name" && <ChangeNameForm name={user.name} onClose={() => setChanging(null)} />}
      {changing === "email" && (
        <ChangeEmailForm
          onDone={(message) => {
            setMessage(message);
            setChanging(null);
          }}
          onCancel={() => setChanging(null)}
        />
      )}
      {changing === null && (
        <div className="row">
          <Button onClick={() => setChanging("name")}>{t("name.change")}</Button>
          <Button
            onClick={() => {
              setMessage(null);
              setChanging("email");
            }}
          >
            {t("email.change")}
          </Button>
        </div>
      )}
    </Card>
  );
}

function VerifiedMark({ verified }: { readonly verified: boolean }) {
  const { t } = useTranslation("account");
  return verified ? (
    <Badge like="completed" plain>
      <Icon of={IconCircleCheckFilled} />
      <span>{t("profile.verified")}</span>
    </Badge>
  ) : (
    <Badge like="ringing" plain>
      <Icon of={IconAlertTriangle} />
      <span>{t("profile.unverified")}</span>
    </Badge>
  );
}

function Unverified({ user }: { readonly user: User }) {
  const { t } = useTranslation("account");
  const { busy, message, resend } = useResendVerification();
  useDeliveryWatch();
  return (
    <div className={styles.part}>
      {user.email_refused && message === null ? (
        <Banner kind="error">{t("verifyEmail.refused", { email: user.email })}</Banner>
      ) : (
        <p className="muted">{t(user.link_mailed ? "verifyEmail.text" : "verifyEmail.noLink", { email: user.email })}</p>
      )}
      {message !== null && <Banner kind={message.kind}>{message.text}</Banner>}
      <Button busy={busy} onClick={() => void resend()}>
        {t("verifyEmail.resend")}
      </Button>
    </div>
  );
}

interface ChangeNameFormProps {
  readonly name: string;
  readonly onClose: () => void;
}

/** Changes the customer's name. It takes effect at once. */
function ChangeNameForm({ name, onClose }: ChangeNameFormProps) {
  const { t } = useTranslation("account");
  const form = useServiceForm({
    empty: { name },
    send: async (values) => {
      await changeUser(values);
      toast.success(t("name.changed"));
      onClose();
      await refreshAccount();
    },
    fallback: t("name.failure"),
    focusOnRefusal: "name",
    focusAtFirst: "name",
  });
  return (
    <CardForm form={form} action={t("name.submit")} onCancel={onClose}>
      <Field label={t("profile.name")} autoComplete="name" {...form.required("name", t("name.required"))} />
    </CardForm>
  );
}

interface ChangeEmailFormProps {
  /** Receives the service's message about the next step. */
  readonly onDone: (message: string) => void;
  readonly onCancel: () => void;
}

/** Requests a new email address. It takes effect once the mailed links are opened. */
function ChangeEmailForm({ onDone, onCancel }: ChangeEmailFormProps) {
  const { t } = useTranslation("account");
  const form = useServiceForm({
    empty: { email: "" },
    send: async (values) => {
      const { message } = await request("POST /api/email/change", { body: values });
      onDone(message);
    },
    fallback: t("email.failure"),
    focusOnRefusal: "email",
    focusAtFirst: "email",
  });
  return (
    <CardForm form={form} action={t("email.submit")} onCancel={onCancel}>
      <Field
        label={t("email.new")}
        hint={t("email.hint")}
        type="email"
        autoComplete="email"
        {...form.required("email", t("email.required"))}
      />
    </CardForm>
  );
}
