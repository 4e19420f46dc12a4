import { toDecimalString } from "@farline/domain/money.ts";
import { IconLock } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useCheckout } from "../../../ui/money/checkout.ts";
import { useTranslation } from "react-i18next";
import * as fieldStyles from "../../../ui/forms/field.module.css";
import { useOnline } from "../../../browser/page-hooks.ts";
import { messageOf } from "../../../service/http.ts";
import { userQuery } from "../../../service/queries.ts";
import { useDraft } from "../../../service/use-draft.ts";
import { Button } from "../../../ui/button.tsx";
import { Card } from "../../../ui/card.tsx";
import { Field } from "../../../ui/forms/field.tsx";
import { Form } from "../../../ui/forms/form.tsx";
import { MoneyField } from "../../../ui/forms/form-fields.tsx";
import { Icon } from "../../../ui/icon.tsx";
import { Banner } from "../../../ui/messages/banner.tsx";
import { SellerLine, useSeller } from "../../../ui/money/seller-line.tsx";
import { readTopUp } from "../top-up/amount.ts";
import { OtherTabNotice } from "../../../ui/other-tab-notice.tsx";

const DEFAULT_AMOUNT = "20";

/** Buys credit for the person who sent the link, with the customer's account. @param token of the link */
export function GiveForm({ token, name }: { readonly token: string; readonly name: string }) {
  const { t } = useTranslation("billing");
  const online = useOnline();
  const { data: user } = useQuery(userQuery);
  const unconfirmed = user?.email_verified === false;
  const [amount, setAmount] = useState(DEFAULT_AMOUNT);
  const [greeting, setGreeting] = useState("");
  // Kept after the order too, because the payment may be abandoned on the provider’s page.
  useDraft(`greeting ${token}`, { greeting }, (kept) => setGreeting(kept.greeting));
  const [failure, setFailure] = useState<string | null>(null);
  const { busy, tab, checkOut } = useCheckout((error) => setFailure(messageOf(error, t("gifts.payFailure"))));
  const { micros: pays, problem } = readTopUp(amount);
  const isPayable = useSeller() !== undefined && online && !unconfirmed && pays !== null;
  return (
    <Card>
      <Form
        className="stack"
        noValidate
        onSubmit={() => {
          if (busy || !isPayable) return;
          setFailure(null);
          void checkOut({ endpoint: "POST /api/billing/gifts", body: { token, amount: toDecimalString(pays), greeting } });
        }}
      >
        <p>{t("gifts.giveText", { name })}</p>
        <MoneyField
          label={t("gifts.amount")}
          {...(problem === null
            ? { hint: t("gifts.amountHint") }
            : { error: t(problem === "unreadable" ? "amount.unreadable" : "gifts.amountHint") })}
          value={amount}
          onValue={setAmount}
        />
        <Field
          label={t("gifts.greeting")}
          hint={t("gifts.greetingHint")}
          autoComplete="off"
          dir="auto"
          value={greeting}
          onValue={setGreeting}
        />
        {unconfirmed && <Banner kind="info">{t("gifts.confirmFirst")}</Banner>}
        {failure !== null && <Banner kind="error">{failure}</Banner>}
        <OtherTabNotice tab={tab} />
        <Button pair="credit" size="lg" wide type="submit" busy={busy} disabled={!isPayable}>
          {!busy && <Icon of={IconLock} />}
          <span>{busy ? t("gifts.paying") : t("gifts.pay", { name })}</span>
        </Button>
        <p className={fieldStyles.hint}>{online ? t("gifts.rules", { name }) : t("offlineReason")}</p>
        <SellerLine />
      </Form>
    </Card>
  );
}
