import type { Contact } from "@farline/contract/contacts.ts";
import { mapDetails } from "@farline/domain/contacts/contact-details.ts";
import { withExtension } from "@farline/domain/numbers/extension.ts";
import { useTranslation } from "react-i18next";
import { useFormDraft } from "../../service/use-draft.ts";
import { useServiceForm } from "../../service/use-service-form.ts";
import { toast } from "../../ui/messages/toast.ts";
import { saveContact } from "./contacts-queries.ts";

export interface ContactFormProps {
  /** The contact to edit; null adds a new one. */
  readonly contact: Contact | null;
  /** Prefills the number of a new one. */
  readonly number: string;
  readonly onClose: () => void;
}

export type ContactForm = ReturnType<typeof useContactForm>;

/** The form's fields, how they are saved, and how the form is closed. */
export function useContactForm({ contact, number, onClose }: ContactFormProps) {
  const { t } = useTranslation("contacts");
  const form = useServiceForm({
    empty: {
      first_name: contact?.first_name ?? "",
      last_name: contact?.last_name ?? "",
      phone_number: contact === null ? number : withExtension(contact.phone_number, contact.extension),
      phone_number_type: contact?.phone_number_type ?? "mobile",
      other_numbers: (contact?.other_numbers ?? []).map(({ phone_number, extension, phone_number_type }) => ({
        phone_number: withExtension(phone_number, extension),
        phone_number_type,
      })),
      country_code: "",
      ...mapDetails((detail) => contact?.[detail] ?? ""),
      email: contact?.email ?? "",
      notes: contact?.notes ?? "",
    },
    send: async ({ country_code, other_numbers, ...values }) => {
      const country = { country_code: country_code === "" ? null : country_code };
      const others = other_numbers.map((number) => ({ ...number, ...country }));
      await saveContact(contact?.id ?? null, { ...values, ...country, other_numbers: others });
      toast.success(contact === null ? t("toast.added") : t("toast.updated"));
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
