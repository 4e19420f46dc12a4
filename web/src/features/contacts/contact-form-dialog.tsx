import { contactLengths, detailNames, mapDetails, MAX_NUMBERS_PER_CONTACT } from "@farline/domain/contacts/contact-details.ts";
import { type ComponentProps, useId } from "react";
import { useTranslation } from "react-i18next";
import { phoneTypes } from "@farline/domain/contacts/contact-file.ts";
import { IconPlus, IconX } from "@tabler/icons-react";
import { useFieldArray } from "react-hook-form";
import type { Contact, ContactRequest } from "@farline/contract/contacts.ts";
import { withExtension } from "@farline/domain/numbers/extension.ts";
import { Banner } from "../../ui/messages/banner.tsx";
import { Dialog } from "../../ui/dialogs/dialog.tsx";
import { Field } from "../../ui/forms/field.tsx";
import { Button } from "../../ui/button.tsx";
import { CountrySelect } from "./country-select.tsx";
import { FormNumberQuestion, LongTextField, SelectField } from "../../ui/forms/form-fields.tsx";
import { Form } from "../../ui/forms/form.tsx";
import { formatCount } from "../../text/format.ts";
import { Icon } from "../../ui/icon.tsx";
import { useFormDraft } from "../../service/use-draft.ts";
import { useServiceForm } from "../../service/use-service-form.ts";
import { toast } from "../../ui/messages/toast.ts";
import { addContact, changeContact } from "./contacts-queries.ts";
import * as styles from "./contacts-page.module.css";

/** Adds or edits a contact. */
export function ContactFormDialog({ contact, number, country, onAdded, onClose }: ContactFormProps) {
  const { t } = useTranslation(["contacts", "common"]);
  const formId = useId();
  const form = useContactForm({ contact, number, country, onAdded, onClose });
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
      <Form id={formId} className={styles.form} noValidate onSubmit={form.submit}>
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
        <CountrySelect {...form.field("country_code", {})} />
        <NumberRow
          label={t("form.phone")}
          typeLabel={t("form.type")}
          phone={form.field("phone_number", { required: t("form.phoneRequired") })}
          type={form.field("phone_number_type", {})}
        />
        <OtherNumberFields form={form} />
        <FormNumberQuestion form={form} />
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

interface NumberRowProps {
  readonly label: string;
  readonly typeLabel: string;
  readonly phone: Partial<ComponentProps<typeof Field>>;
  readonly type: Partial<ComponentProps<typeof SelectField>>;
}

/** A number and its kind. */
function NumberRow({ label, typeLabel, phone, type }: NumberRowProps) {
  const { t } = useTranslation("contacts");
  return (
    <div className={styles.two}>
      <Field
        label={label}
        hint={<span dir="ltr">+1234567890</span>}
        type="tel"
        inputMode="tel"
        dir="ltr"
        autoComplete="off"
        required
        {...phone}
      />
      <SelectField label={typeLabel} {...type}>
        {phoneTypes.map((one) => (
          <option key={one} value={one}>
            {t(`type.${one}`)}
          </option>
        ))}
      </SelectField>
    </div>
  );
}

/** The other numbers, and a button that adds one. */
function OtherNumberFields({ form: { control, field } }: { readonly form: Pick<ContactForm, "control" | "field"> }) {
  const { t } = useTranslation("contacts");
  const { fields, append, remove } = useFieldArray({ control, name: "other_numbers" });
  return (
    <>
      {fields.map(({ id }, index) => {
        const position = formatCount(index + 2);
        return (
          <div key={id} className={styles.numberRow}>
            <NumberRow
              label={t("form.otherPhone", { position })}
              typeLabel={t("form.otherType", { position })}
              phone={field(`other_numbers.${index}.phone_number`, { required: t("form.phoneRequired") })}
              type={field(`other_numbers.${index}.phone_number_type`, {})}
            />
            <Button iconOnly aria-label={t("form.removeNumber", { position })} onClick={() => remove(index)}>
              <Icon of={IconX} />
            </Button>
          </div>
        );
      })}
      {fields.length < MAX_NUMBERS_PER_CONTACT - 1 && (
        <Button size="sm" className={styles.addNumber} onClick={() => append({ phone_number: "", phone_number_type: "mobile" })}>
          <Icon of={IconPlus} />
          <span>{t("form.addNumber")}</span>
        </Button>
      )}
    </>
  );
}

interface ContactFormProps {
  /** The contact to edit; null adds a new one. */
  readonly contact: Contact | null;
  /** Prefills the number of a new one. */
  readonly number: string;
  /** ISO code that a new one's number probably belongs to; "" if nothing tells. */
  readonly country: string;
  readonly onAdded: () => void;
  readonly onClose: () => void;
}

type ContactForm = ReturnType<typeof useContactForm>;

/** The form's fields, how they are saved, and how the form is closed. */
function useContactForm({ contact, number, country, onAdded, onClose }: ContactFormProps) {
  const { t } = useTranslation("contacts");
  const shown = valuesOf({ contact, number, country });
  const form = useServiceForm({
    // What was shown is part of the draft: when that is restored, the contact may have changed.
    empty: { ...shown, seen: shown },
    send: async ({ seen, ...values }) => {
      if (contact === null) await addContact(requestOf(values));
      else await changeContact(contact.id, requestOf(values), requestOf(seen));
      toast.success(contact === null ? t("toast.added") : t("toast.updated"));
      if (contact === null) onAdded();
      close();
    },
    fallback: contact === null ? t("failure.create") : t("failure.update"),
    focusOnRefusal: "first_name",
    focusAtFirst: "first_name",
  });
  const forgetDraft = useFormDraft(contact === null ? `new contact ${number}` : `contact ${contact.id}`, form);
  /** Saved or given up: nothing typed is kept. */
  const close = (): void => {
    forgetDraft();
    onClose();
  };
  return { ...form, close };
}

function valuesOf({ contact, number, country }: Pick<ContactFormProps, "contact" | "number" | "country">) {
  return {
    first_name: contact?.first_name ?? "",
    last_name: contact?.last_name ?? "",
    phone_number: contact === null ? number : withExtension(contact.phone_number, contact.extension),
    phone_number_type: contact?.phone_number_type ?? "mobile",
    other_numbers: (contact?.other_numbers ?? []).map(({ phone_number, extension, phone_number_type }) => ({
      phone_number: withExtension(phone_number, extension),
      phone_number_type,
    })),
    country_code: contact === null ? country : "",
    ...mapDetails((detail) => contact?.[detail] ?? ""),
    email: contact?.email ?? "",
    notes: contact?.notes ?? "",
  };
}

function requestOf({ country_code, other_numbers, ...values }: ReturnType<typeof valuesOf>): ContactRequest {
  const country = { country_code: country_code === "" ? null : country_code };
  return { ...values, ...country, other_numbers: other_numbers.map((one) => ({ ...one, ...country })) };
}
