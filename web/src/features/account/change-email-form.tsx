import { useTranslation } from "react-i18next";
import { request } from "../../service/http.ts";
import { useServiceForm } from "../../service/use-service-form.ts";
import { Banner } from "../../ui/messages/banner.tsx";
import { Field } from "../../ui/forms/field.tsx";
import { Button } from "../../ui/button.tsx";
import { Form } from "../../ui/forms/form.tsx";
import * as styles from "./account.module.css";

interface ChangeEmailFormProps {
  /** Receives the service's message about the next step. */
  readonly onDone: (message: string) => void;
  readonly onCancel: () => void;
}

/** Requests a new email address. It takes effect once the mailed links are opened. */
export function ChangeEmailForm({ onDone, onCancel }: ChangeEmailFormProps) {
  const { t } = useTranslation(["account", "common"]);
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
    <Form className={styles.form} noValidate onSubmit={form.submit}>
      {form.failure !== null && <Banner kind="error">{form.failure}</Banner>}
      <Field
        label={t("email.new")}
        hint={t("email.hint")}
        type="email"
        autoComplete="email"
        required
        {...form.field("email", { required: t("email.required") })}
      />
      <div className="row">
        <Button pair="action" type="submit" busy={form.busy}>
          {t("email.submit")}
        </Button>
        <Button onClick={onCancel}>{t("common:cancel")}</Button>
      </div>
    </Form>
  );
}
