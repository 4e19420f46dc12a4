import type { FamilyLimits } from "@farline/contract/family/family.ts";
import { useTranslation } from "react-i18next";
import { readerTimeZone } from "../../../browser/reader-locale.ts";
import { useServiceForm } from "../../../service/use-service-form.ts";
import { Button } from "../../../ui/button.tsx";
import { classNames } from "../../../ui/class-names.ts";
import { Field } from "../../../ui/forms/field.tsx";
import { dollarsRule, MoneyField } from "../../../ui/forms/money-field.tsx";
import { Form } from "../../../ui/forms/form.tsx";
import { Banner } from "../../../ui/messages/banner.tsx";
import { CountryChoiceFields, useCountryChoice } from "../guard-rails/country-choice.tsx";
import { typedLimit } from "../typed-limit.ts";
import type { TypedLimits } from "./family-queries.ts";
import * as styles from "../account.module.css";

export const NO_LIMITS: FamilyLimits = { daily_cap: null, monthly_cap: null, countries: null, time_zone: "UTC" };

interface LimitFormProps {
  readonly limits: FamilyLimits;
  /** Whether the form also asks for the address of somebody to invite; empty for a link. */
  readonly asksAddress?: boolean;
  readonly action: string;
  readonly failure: string;
  readonly onSend: (limits: TypedLimits, email: string | null) => Promise<void>;
}

/** What a member may spend a day and in a month, and which countries they may call. */
export function LimitForm({ limits, asksAddress = false, action, failure, onSend }: LimitFormProps) {
  const { t } = useTranslation("account");
  const choice = useCountryChoice(limits.countries);
  const form = useServiceForm({
    empty: { email: "", daily_cap: limits.daily_cap ?? "", monthly_cap: limits.monthly_cap ?? "" },
    send: async ({ email, daily_cap, monthly_cap }) => {
      if (!choice.check()) return;
      await onSend(
        {
          daily_cap: typedLimit(daily_cap),
          monthly_cap: typedLimit(monthly_cap),
          countries: choice.countries,
          time_zone: readerTimeZone(),
        },
        email.trim() || null,
      );
    },
    fallback: failure,
  });
  const rule = dollarsRule(t("limits.unreadable"));
  return (
    <Form className={classNames(styles.form, styles.limits)} noValidate onSubmit={form.submit}>
      {form.failure !== null && <Banner kind="error">{form.failure}</Banner>}
      {asksAddress && (
        <Field
          label={t("family.email")}
          hint={t("family.emailHint")}
          type="email"
          autoComplete="off"
          dir="ltr"
          {...form.field("email", {})}
        />
      )}
      <MoneyField label={t("family.dailyCap")} hint={t("limits.empty")} {...form.field("daily_cap", rule)} />
      <MoneyField label={t("family.monthlyCap")} hint={t("limits.empty")} {...form.field("monthly_cap", rule)} />
      <CountryChoiceFields choice={choice} legend={t("family.countries")} />
      <Button pair="action" type="submit" busy={form.busy}>
        {action}
      </Button>
    </Form>
  );
}
