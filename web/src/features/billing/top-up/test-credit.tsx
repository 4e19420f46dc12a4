import { toDecimalString } from "@farline/domain/money.ts";
import { readDollars } from "@farline/domain/typed/typed-dollars.ts";
import { IconFlask } from "@tabler/icons-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { formatMoney } from "../../../text/format.ts";
import { messageOf, request } from "../../../service/http.ts";
import { refreshMoney } from "../../../service/queries.ts";
import { Banner } from "../../../ui/messages/banner.tsx";
import { Card } from "../../../ui/card.tsx";
import { MoneyField } from "../../../ui/forms/money-field.tsx";
import { Icon } from "../../../ui/icon.tsx";
import { Button } from "../../../ui/button.tsx";
import { toast } from "../../../ui/messages/toast.ts";
import { Form } from "../../../ui/forms/form.tsx";
import * as styles from "../billing.module.css";
import { Badge } from "../../../ui/status-badge.tsx";

const DEFAULT_AMOUNT = "10";

/** Test credit, shown only in sandbox mode. */
export function TestCredit() {
  const { t } = useTranslation("billing");
  const [amount, setAmount] = useState(DEFAULT_AMOUNT);
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<string | null>(null);
  const micros = readDollars(amount);

  async function add(): Promise<void> {
    setFailure(null);
    if (micros === null || micros === 0n) return toast.warning(t("test.invalid"));
    setBusy(true);
    try {
      await request("POST /api/billing/test-credit", { body: { amount: toDecimalString(micros) } });
      toast.success(t("test.success", { amount: formatMoney(toDecimalString(micros)) }));
      setAmount(DEFAULT_AMOUNT);
      void refreshMoney();
    } catch (error) {
      setFailure(messageOf(error, t("test.failure")));
    } finally {
      setBusy(false);
    }
  }

  return (
    <Card
      className={styles.testcard}
      title={t("test.title")}
      aside={
        <Badge like="ringing">
          <Icon of={IconFlask} />
          <span>{t("test.badge")}</span>
        </Badge>
      }
    >
      <p className="muted small">{t("test.text")}</p>
      <Form
        className={styles.testForm}
        noValidate
        onSubmit={() => {
          if (!busy) void add();
        }}
      >
        <MoneyField
          label={t("test.amount")}
          labelHidden
          error={micros === null && amount !== "" ? t("test.invalid") : undefined}
          value={amount}
          onValue={setAmount}
        />
        <Button type="submit" busy={busy}>
          {t("test.submit")}
        </Button>
      </Form>
      {failure !== null && <Banner kind="error">{failure}</Banner>}
    </Card>
  );
}
