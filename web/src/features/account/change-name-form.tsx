import { useTranslation } from "react-i18next";
import { changeUser } from "../../service/queries.ts";
import { useServiceForm } from "../../service/use-service-form.ts";
import { Button } from "../../ui/button.tsx";
import { Field } from "../../ui/forms/field.tsx";
import { Form } from "../../ui/forms/form.tsx";
import { Banner } from "../../ui/messages/banner.tsx";
import { toast } from "../../ui/messages/toast.ts";
import { refreshAccount } from "./account-queries.ts";
import * as styles from "./account.module.css";

interface ChangeNameFormProps {
  readonly name: string;
  readonly onClose: () => void;
}

/** Changes the customer's name. It takes effect at once. */
export function ChangeNameForm({ name, onClose }: ChangeNameFormProps) {
  const { t } = useTranslation(["account", "common"]);
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
    <Form className={styles.form} noValidate onSubmit={form.submit}>
      {form.failure !== null && <Banner kind="error">{form.failure}</Banner>}
      <Field label={t("profile.name")} autoComplete="name" required {...form.field("name", { required: t("name.required") })} />
      <div className="row">
        <Button pair="action" type="submit" busy={form.busy}>
          {t("name.submit")}
        </Button>
        <Button onClick={onClose}>{t("common:cancel")}</Button>
      </div>
    </Form>
  );
}
