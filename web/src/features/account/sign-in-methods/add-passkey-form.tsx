import { useState } from "react";
import { useTranslation } from "react-i18next";
import { request } from "../../../service/http.ts";
import { makePasskey, PasskeyError, type PasskeyProblem } from "../../../session/passkey.ts";
import { useServiceForm } from "../../../service/use-service-form.ts";
import { Banner } from "../../../ui/messages/banner.tsx";
import { Field } from "../../../ui/forms/field.tsx";
import { Button } from "../../../ui/button.tsx";
import { toast } from "../../../ui/messages/toast.ts";
import { refreshAccount } from "../account-queries.ts";
import { Form } from "../../../ui/forms/form.tsx";
import * as styles from "../account.module.css";

/** Names a passkey, creates it in the browser, and registers its public key with the service. */
export function AddPasskeyForm({ onClose }: { readonly onClose: () => void }) {
  const { t } = useTranslation(["account", "common"]);
  const [problem, setProblem] = useState<PasskeyProblem | null>(null);
  const problems = { stopped: t("passkeys.stopped"), known: t("passkeys.known"), broken: t("passkeys.broken") };

  async function add(name: string): Promise<void> {
    setProblem(null);
    try {
      const { options } = await request("POST /api/account/passkeys/options");
      const credential = await makePasskey(options);
      await request("POST /api/account/passkeys", { body: { name, credential } });
    } catch (error) {
      if (!(error instanceof PasskeyError)) throw error;
      return setProblem(error.problem);
    }
    toast.success(t("passkeys.added"));
    onClose();
    await refreshAccount();
  }

  const form = useServiceForm({
    empty: { name: "" },
    send: ({ name }) => add(name),
    fallback: t("passkeys.addFailure"),
    focusOnRefusal: "name",
    focusAtFirst: "name",
  });
  const failure = problem === null ? form.failure : problems[problem];
  return (
    <Form className={styles.form} noValidate onSubmit={form.submit}>
      {failure !== null && <Banner kind="error">{failure}</Banner>}
      <Field
        label={t("passkeys.name")}
        hint={t("passkeys.nameHint")}
        autoComplete="off"
        maxLength={60}
        required
        {...form.field("name", { required: t("passkeys.nameRequired") })}
      />
      <div className="row">
        <Button pair="action" type="submit" busy={form.busy}>
          {t("passkeys.make")}
        </Button>
        <Button onClick={onClose}>{t("common:cancel")}</Button>
      </div>
    </Form>
  );
}
