import { phoneTypes } from "@farline/domain/contacts/contact-file.ts";
import { MAX_NUMBERS_PER_CONTACT } from "@farline/domain/contacts/contact-limits.ts";
import { IconPlus, IconX } from "@tabler/icons-react";
import type { ComponentProps } from "react";
import { useFieldArray } from "react-hook-form";
import { useTranslation } from "react-i18next";
import { formatCount } from "../../text/format.ts";
import { Button } from "../../ui/button.tsx";
import { Field } from "../../ui/forms/field.tsx";
import { Icon } from "../../ui/icon.tsx";
import { SelectField } from "../../ui/forms/form-fields.tsx";
import type { ContactForm } from "./use-contact-form.ts";
import * as styles from "./contact-form-dialog.module.css";

interface NumberRowProps {
  readonly label: string;
  readonly typeLabel: string;
  readonly phone: Partial<ComponentProps<typeof Field>>;
  readonly type: Partial<ComponentProps<typeof SelectField>>;
}

/** A number and its kind. */
export function NumberRow({ label, typeLabel, phone, type }: NumberRowProps) {
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
export function OtherNumbers({ form: { control, field } }: { readonly form: Pick<ContactForm, "control" | "field"> }) {
  const { t } = useTranslation("contacts");
  const { fields, append, remove } = useFieldArray({ control, name: "other_numbers" });
  return (
    <>
      {fields.map(({ id }, index) => {
        const position = formatCount(index + 2);
        return (
          <div key={id} className={styles.number}>
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
        <Button size="sm" className={styles.more} onClick={() => append({ phone_number: "", phone_number_type: "mobile" })}>
          <Icon of={IconPlus} />
          <span>{t("form.addNumber")}</span>
        </Button>
      )}
    </>
  );
}
