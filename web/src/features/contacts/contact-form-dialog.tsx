import { detailNames } from "@farline/domain/contacts/contact-details.ts";
import { contactLengths } from "@farline/domain/contacts/contact-limits.ts";
import { useId } from "react";
import { useTranslation } from "react-i18next";
import { Banner } from "../../ui/messages/banner.tsx";
import { Dialog } from "../../ui/dialogs/dialog.tsx";
import { Field } from "../../ui/forms/field.tsx";
import { Button } from "../../ui/button.tsx";
import { CountrySelect } from "./country-select.tsx";
import { FormNumberQuestion } from "../../ui/forms/form-number-question.tsx";
import { LongTextField } from "../../ui/forms/form-fields.tsx";
import { NumberRow, OtherNumbers } from "./contact-number-fields.tsx";
import { type ContactFormProps, useContactForm } from "./use-contact-form.ts";
import { Form } from "../../ui/forms/form.tsx";
import * as styles from "./contact-form-dialog.module.css";

/** Adds or edits a contact. */
export function ContactFormDialog({ contact, number, onClose }: ContactFormProps) {
  const { t } = useTranslation(["contacts", "common"]);
  const formId = useId();
  const form = useContactForm({ contact, number, onClose });
  return (
    <Dialog
      open
      onClose={form.close}
      title={contact === null ? t("add") : t("form.editTitle")}
      foot={
        <>
          <Button onClick={form.close}>{t("common:cancel")}</Button>
          <Button pair="action" type="submit" form={formId} busy={form.busy}>
            {form.busy ? t("form.saving") : t("form.save")}
          </Button>
        </>
      }
    >
      <Form id={formId} className={styles.ctform} noValidate onSubmit={form.submit}>
        {form.failure !== null && <Banner kind="error">{form.failure}</Banner>}
        <div className={styles.two}>
          <Field
            label={t("form.firstName")}
            autoComplete="off"
            required
            {...form.field("first_name", { required: t("form.firstNameRequired") })}
          />
          <Field label={t("form.lastName")} autoComplete="off" {...form.field("last_name", {})} />
        </div>
        <NumberRow
          label={t("form.phone")}
          typeLabel={t("form.type")}
          phone={form.field("phone_number", { required: t("form.phoneRequired") })}
          type={form.field("phone_number_type", {})}
        />
        <OtherNumbers form={form} />
        <FormNumberQuestion form={form} />
        <CountrySelect {...form.field("country_code", {})} />
        {detailNames.map((detail) => (
          <Field key={detail} label={t(`form.${detail}`)} autoComplete="off" {...form.field(detail, {})} />
        ))}
        <Field
          label={t("form.email")}
          type="email"
          autoComplete="off"
          {...form.field("email", { pattern: { value: /^(\S+@\S+)?$/, message: t("form.emailWrong") } })}
        />
        <LongTextField label={t("form.notes")} rows={3} maxLength={contactLengths.notes} {...form.field("notes", {})} />
      </Form>
    </Dialog>
  );
}
