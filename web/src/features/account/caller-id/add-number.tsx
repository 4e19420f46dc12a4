import type { CallerIdResponse } from "@farline/contract/caller-id.ts";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { request } from "../../../service/http.ts";
import { useServiceForm } from "../../../service/use-service-form.ts";
import { writeNumber } from "../../../text/phone-text.ts";
import { Banner } from "../../../ui/messages/banner.tsx";
import { Button } from "../../../ui/button.tsx";
import { Field } from "../../../ui/forms/field.tsx";
import { FormNumberQuestion } from "../../../ui/forms/form-number-question.tsx";
import { keepCallerId } from "./keep-caller-id.ts";
import { Form } from "../../../ui/forms/form.tsx";
import * as styles from "../account.module.css";

/** A button that opens the form for another number. Suggests a number that has to be verified again. */
export function AddNumber({ callerId }: { readonly callerId: CallerIdResponse["caller_id"] }) {
  const { t } = useTranslation("account");
  const [typing, setTyping] = useState(false);
  const lapsed = callerId.numbers.find((one) => one.needs_proof)?.number;
  if (typing) return <AddNumberForm number={lapsed ?? ""} onClose={() => setTyping(false)} />;
  if (lapsed !== undefined)
    return <Button onClick={() => setTyping(true)}>{t("callerId.again", { number: writeNumber(lapsed) })}</Button>;
  if (callerId.numbers.length >= callerId.max_numbers)
    return <p className="muted small">{t("callerId.full", { count: callerId.max_numbers })}</p>;
  return <Button onClick={() => setTyping(true)}>{t("callerId.add")}</Button>;
}

/** Asks for a number and requests the call to it. */
function AddNumberForm({ number, onClose }: { readonly number: string; readonly onClose: () => void }) {
  const { t } = useTranslation(["account", "common"]);
  const form = useServiceForm({
    empty: { phone_number: number },
    send: async (body) => keepCallerId(await request("POST /api/calls/caller-id/checks", { body })),
    fallback: t("callerId.callFailure"),
    focusOnRefusal: "phone_number",
    focusAtFirst: "phone_number",
  });
  return (
    <Form className={styles.form} noValidate onSubmit={form.submit}>
      {form.failure !== null && <Banner kind="error">{form.failure}</Banner>}
      <Field
        label={t("callerId.number")}
        hint={t("callerId.numberHint")}
        type="tel"
        dir="ltr"
        inputMode="tel"
        autoComplete="tel"
        required
        {...form.field("phone_number", { required: t("callerId.numberRequired") })}
      />
      <FormNumberQuestion form={form} />
      <div className="row">
        <Button pair="action" type="submit" busy={form.busy}>
          {t("callerId.callMe")}
        </Button>
        <Button onClick={onClose}>{t("common:cancel")}</Button>
      </div>
    </Form>
  );
}
