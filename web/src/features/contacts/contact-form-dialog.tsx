import type { Contact } from "@farline/contract/contacts.ts";
import { contactLengths } from "@farline/domain/contacts/contact-limits.ts";
import { useId, useState } from "react";
import { useTranslation } from "react-i18next";
import { ApiError } from "../../service/http.ts";
import { useServiceForm } from "../../service/use-service-form.ts";
import { Banner } from "../../ui/banner.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Field } from "../../ui/field.tsx";
import { Button } from "../../ui/button.tsx";
import { toast } from "../../ui/toast.ts";
import { saveContact } from "./contacts-queries.ts";
import { CountrySelect } from "./country-select.tsx";
import { LongTextField } from "../../ui/form-fields.tsx";
import { NumberRow, OtherNumbers } from "./contact-number-fields.tsx";
import "./contact-form-dialog.css";

interface ContactFormDialogProps {
  /** The one to change; null adds a new one. */
  readonly contact: Contact | null;
  /** The number of a new one, as far as it is known. */
  readonly number: string;
  readonly onClose: () => void;
}

/** Adds a contact or changes one. */
export function ContactFormDialog({ contact, number, onClose }: ContactFormDialogProps) {
  const { t } = useTranslation(["contacts", "common"]);
  const formId = useId();
  const form = useContactForm({ contact, number, onClose });
  return (
    <Dialog
      open
      onClose={onClose}
      title={contact === null ? t("add") : t("form.editTitle")}
      foot={
        <>
          <Button onClick={onClose}>{t("common:cancel")}</Button>
          <Button pair="action" type="submit" form={formId} busy={form.busy}>
            {form.busy ? t("form.saving") : t("form.save")}
          </Button>
        </>
      }
    >
      <form id={formId} className="ctform" noValidate onSubmit={form.submit}>
        {form.failure !== null && <Banner kind="error">{form.failure}</Banner>}
        <div className="ctform__two">
          <Field
            label={t("form.firstName")}
            autoComplete="off"
            required
            maxLength={contactLengths.first_name}
            {...form.field("first_name", { required: t("form.firstNameRequired") })}
          />
          <Field
            label={t("form.lastName")}
            autoComplete="off"
            maxLength={contactLengths.last_name}
            {...form.field("last_name", {})}
          />
        </div>
        <NumberRow
          label={t("form.phone")}
          typeLabel={t("form.type")}
          phone={form.field("phone_number", { required: t("form.phoneRequired") })}
          type={form.field("phone_number_type", {})}
        />
        <OtherNumbers form={form} />
        {form.asksCountry && <CountrySelect {...form.field("country_code", {})} />}
        <Field label={t("form.company")} autoComplete="off" maxLength={contactLengths.company} {...form.field("company", {})} />
        <Field
          label={t("form.email")}
          type="email"
          autoComplete="off"
          maxLength={contactLengths.email}
          {...form.field("email", { pattern: { value: /^(\S+@\S+)?$/, message: t("form.emailWrong") } })}
        />
        <LongTextField label={t("form.notes")} rows={3} maxLength={contactLengths.notes} {...form.field("notes", {})} />
      </form>
    </Dialog>
  );
}

export type ContactForm = ReturnType<typeof useContactForm>;

function useContactForm({ contact, number, onClose }: ContactFormDialogProps) {
  const { t } = useTranslation("contacts");
  const [asksCountry, setAsksCountry] = useState(false);
  const form = useServiceForm({
    empty: {
      first_name: contact?.first_name ?? "",
      last_name: contact?.last_name ?? "",
      phone_number: contact?.phone_number ?? number,
      phone_number_type: contact?.phone_number_type ?? "mobile",
      other_numbers: (contact?.other_numbers ?? []).map(({ phone_number, phone_number_type }) => ({
        phone_number,
        phone_number_type,
      })),
      country_code: "",
      company: contact?.company ?? "",
      email: contact?.email ?? "",
      notes: contact?.notes ?? "",
    },
    send: async ({ country_code, other_numbers, ...values }) => {
      const country = { country_code: country_code === "" ? null : country_code };
      const others = other_numbers.map((number) => ({ ...number, ...country }));
      try {
        await saveContact(contact?.id ?? null, { ...values, ...country, other_numbers: others });
      } catch (error) {
        // The service reports here that the number needs a country.
        if (error instanceof ApiError && error.code === "country_required") setAsksCountry(true);
        throw error;
      }
      toast.success(contact === null ? t("toast.added") : t("toast.updated"));
      onClose();
    },
    fallback: contact === null ? t("failure.create") : t("failure.update"),
    focusOnRefusal: "first_name",
    focusAtFirst: "first_name",
  });
  return { ...form, asksCountry };
}
