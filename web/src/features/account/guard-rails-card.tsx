import type { GuardRailsRequest, GuardRailsResponse } from "@farline/contract/calls.ts";
import { queryOptions, useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import * as styles from "./account.module.css";
import { request } from "../../service/http.ts";
import { queryKeys } from "../../service/queries.ts";
import { showAnswer } from "../../service/query-client.ts";
import { useServiceForm } from "../../service/use-service-form.ts";
import { formatDateTime, formatSum } from "../../text/format.ts";
import { i18n } from "../../text/i18n.ts";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { classNames } from "../../ui/class-names.ts";
import { Form } from "../../ui/forms/form.tsx";
import { dollarsRule, MoneyField } from "../../ui/forms/form-fields.tsx";
import { Banner } from "../../ui/messages/banner.tsx";
import { toast } from "../../ui/messages/toast.ts";
import { Loaded } from "../../ui/waiting/loaded.tsx";
import { CountryChoiceFields, typedLimit, useCountryChoice } from "./limit-fields.tsx";
import { readerTimeZone } from "../../browser/reader-locale.ts";

/** `GET /api/calls/guard-rails`: the caller's own limits. */
const guardRailsQuery = queryOptions({
  queryKey: queryKeys.guardRails,
  queryFn: ({ signal }) => request("GET /api/calls/guard-rails", { signal }),
  meta: { failure: () => i18n.t("account:limits.loadFailure") },
});

/** The caller's own limits: cost per day, cost per call, and the countries that may be called. */
export function GuardRailsCard() {
  const { t } = useTranslation("account");
  const rails = useQuery(guardRailsQuery);
  return (
    <Card title={t("limits.title")}>
      <p className={classNames(styles.lead, "muted")}>{t("limits.text")}</p>
      <Loaded of={rails} failure={t("limits.loadFailure")} rows={3}>
        {(data) => <GuardRailsForm answer={data} />}
      </Loaded>
    </Card>
  );
}

function GuardRailsForm({ answer: { guard_rails: rails, today } }: { readonly answer: GuardRailsResponse }) {
  const { t } = useTranslation("account");
  const choice = useCountryChoice(rails.countries);
  const form = useServiceForm({
    empty: { daily_cap: rails.daily_cap ?? "", call_cap: rails.call_cap ?? "" },
    send: async (amounts) => {
      if (!choice.check()) return;
      const body: GuardRailsRequest = {
        daily_cap: typedLimit(amounts.daily_cap),
        call_cap: typedLimit(amounts.call_cap),
        countries: choice.countries,
        time_zone: readerTimeZone(),
      };
      const saved = await request("PUT /api/calls/guard-rails", { body });
      toast.success(t("limits.saved"));
      await showAnswer(guardRailsQuery.queryKey, saved);
    },
    fallback: t("limits.failure"),
  });
  const rule = dollarsRule(t("limits.unreadable"));
  const used = t("limits.usedToday", { spent: formatSum(today.spent), when: formatDateTime(today.resets_at) });
  return (
    <Form className={classNames(styles.form, styles.limits)} noValidate onSubmit={form.submit}>
      {form.failure !== null && <Banner kind="error">{form.failure}</Banner>}
      <MoneyField
        label={t("limits.dailyCap")}
        hint={rails.daily_cap === null ? t("limits.empty") : used}
        {...form.field("daily_cap", rule)}
      />
      <MoneyField label={t("limits.callCap")} hint={t("limits.callHint")} {...form.field("call_cap", rule)} />
      <CountryChoiceFields choice={choice} legend={t("limits.countries")} />
      <p className="muted small">{t("limits.mail")}</p>
      <Button pair="action" type="submit" busy={form.busy}>
        {t("limits.save")}
      </Button>
    </Form>
  );
}
