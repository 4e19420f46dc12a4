import type { AutoTopUpResponse } from "@farline/contract/auto-top-up.ts";
import { dollarsToSend } from "@farline/domain/typed/typed-dollars.ts";
import { IconAlertCircle } from "@tabler/icons-react";
import { type ComponentProps, useId } from "react";
import { cardText } from "../../../ui/money/checkout.ts";
import { useTranslation } from "react-i18next";
import * as fieldStyles from "../../../ui/forms/field.module.css";
import * as styles from "../billing.module.css";
import { useOnline } from "../../../browser/page-hooks.ts";
import { useServiceForm } from "../../../service/use-service-form.ts";
import { formatDateTime, formatMoney } from "../../../text/format.ts";
import { Button } from "../../../ui/button.tsx";
import { Form } from "../../../ui/forms/form.tsx";
import { dollarsRule, MoneyField, SelectField } from "../../../ui/forms/form-fields.tsx";
import { Icon } from "../../../ui/icon.tsx";
import { Banner } from "../../../ui/messages/banner.tsx";
import { toast } from "../../../ui/messages/toast.ts";
import { useSeller } from "../../../ui/money/seller-line.tsx";
import { useChange } from "../../../ui/use-change.ts";
import { chooseAutoTopUp } from "../billing-queries.ts";
import { expiry } from "./saved-cards.tsx";

/** Threshold, amount, card and the required consent to automatic charges. */
export function AutoTopUpForm({ data }: { readonly data: AutoTopUpResponse }) {
  const { t } = useTranslation("billing");
  const { settings, bounds, cards, state, starts_at: startsAt = null } = data;
  const online = useOnline();
  const seller = useSeller();
  const form = useServiceForm({
    empty: {
      card_id: settings.card_id ?? "",
      threshold: settings.threshold,
      amount: settings.amount,
      agreed: settings.on,
    },
    send: async ({ card_id, threshold, amount }) => {
      const typed = { threshold: dollarsToSend(threshold), amount: dollarsToSend(amount) };
      await chooseAutoTopUp({ on: true, card_id, ...typed, agreed: true });
      toast.success(t(settings.on ? "autoTopUp.changed" : "autoTopUp.switchedOn"));
    },
    fallback: t("autoTopUp.failure"),
  });
  const rule = dollarsRule(t("amount.unreadable"));
  const between = (range: { min: string; max: string }) =>
    t("autoTopUp.between", { min: formatMoney(range.min), max: formatMoney(range.max) });
  return (
    <Form className={styles.form} noValidate onSubmit={form.submit}>
      {form.failure !== null && <Banner kind="error">{form.failure}</Banner>}
      {cards.length > 1 && <CardChoice cards={cards} {...form.field("card_id", {})} />}
      <MoneyField label={t("autoTopUp.threshold")} hint={between(bounds.threshold)} {...form.field("threshold", rule)} />
      <MoneyField label={t("autoTopUp.amount")} hint={between(bounds.amount)} {...form.field("amount", rule)} />
      <p className="muted small">
        {t("autoTopUp.limits", { count: bounds.charges_a_day, max: formatMoney(bounds.dollars_a_day) })}
      </p>
      {!settings.on && startsAt !== null && (
        <Banner kind="info">
          {`${t("autoTopUp.waiting.account_new")} ${t("autoTopUp.notBefore", { when: formatDateTime(startsAt) })}`}
        </Banner>
      )}
      <Consent {...form.field("agreed", { required: t("autoTopUp.agreeFirst") })} />
      <div className={styles.buttons}>
        {settings.on && <SwitchOff />}
        <Button pair="action" type="submit" busy={form.busy} disabled={!online || seller === undefined}>
          {t(!settings.on ? "autoTopUp.switchOn" : state.kind === "stopped" ? "autoTopUp.switchOnAgain" : "autoTopUp.save")}
        </Button>
      </div>
    </Form>
  );
}

type Cards = Pick<AutoTopUpResponse, "cards">;

function CardChoice({ cards, ...field }: Omit<ComponentProps<typeof SelectField>, "label" | "children"> & Cards) {
  const { t } = useTranslation("billing");
  return (
    <SelectField label={t("autoTopUp.card")} {...field}>
      {cards.map((card) => (
        <option key={card.id} value={card.id} disabled={card.expired}>
          {`${cardText(card)}${card.expired ? ` · ${t("autoTopUp.expired", { date: expiry(card) })}` : ""}`}
        </option>
      ))}
    </SelectField>
  );
}

function Consent({ error, ...input }: ComponentProps<"input"> & { readonly error: string | undefined }) {
  const { t } = useTranslation("billing");
  const id = useId();
  return (
    <div>
      <label className={styles.consent}>
        <input
          type="checkbox"
          {...input}
          aria-invalid={error === undefined ? undefined : true}
          aria-describedby={error === undefined ? undefined : id}
        />
        <span>{t("autoTopUp.agree")}</span>
      </label>
      {error !== undefined && (
        <p className={fieldStyles.error} id={id}>
          <Icon of={IconAlertCircle} />
          <span>{error}</span>
        </p>
      )}
    </div>
  );
}

function SwitchOff() {
  const { t } = useTranslation("billing");
  const { busy, failure, change } = useChange(t("autoTopUp.failure"));
  return (
    <>
      {failure !== null && <Banner kind="error">{failure}</Banner>}
      <Button
        busy={busy}
        onClick={() =>
          void change(async () => {
            await chooseAutoTopUp({ on: false });
            toast.success(t("autoTopUp.switchedOff"));
          })
        }
      >
        {t("autoTopUp.switchOff")}
      </Button>
    </>
  );
}
