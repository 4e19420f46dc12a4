import type { CreditRequestResponse, Gift } from "@farline/contract/gifts/gifts.ts";
import { toDecimalString } from "@farline/domain/money.ts";
import { queryOptions, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { messageOf, request } from "../../../service/http.ts";
import { useServiceForm } from "../../../service/use-service-form.ts";
import { formatDate, formatMoney, formatSum } from "../../../text/format.ts";
import { countryName, i18n } from "../../../text/i18n.ts";
import { Button } from "../../../ui/button.tsx";
import { Card } from "../../../ui/card.tsx";
import { LoadFailure } from "../../../ui/empty-state.tsx";
import { Field } from "../../../ui/forms/field.tsx";
import { Form } from "../../../ui/forms/form.tsx";
import { LinkField, MoneyField } from "../../../ui/forms/form-fields.tsx";
import { Banner } from "../../../ui/messages/banner.tsx";
import { toast } from "../../../ui/messages/toast.ts";
import { SkeletonRows } from "../../../ui/waiting/skeleton.tsx";
import { readTopUp } from "../top-up/amount.ts";
import { useTalkRates } from "../top-up/talk-time.tsx";
import * as rowsStyles from "../../../ui/rows.module.css";

const requestsQuery = queryOptions({
  queryKey: ["credit-requests"],
  queryFn: async ({ signal }) => (await request("GET /api/credit-requests", { signal })).requests,
  meta: { failure: () => i18n.t("billing:gifts.failure") },
});

/** Live hints about transactions refetch this list too. */
const giftsQuery = queryOptions({
  queryKey: ["transactions", "gifts"],
  queryFn: async ({ signal }) => (await request("GET /api/billing/gifts", { signal })).gifts,
  meta: { failure: () => i18n.t("billing:gifts.failure") },
});

/** Links by which others can buy credit for the customer, and credit given and received. */
export function GiftsCard() {
  const { t } = useTranslation("billing");
  const gifts = useQuery(giftsQuery);
  const requests = useQuery(requestsQuery);
  const failed = [gifts, requests].find(({ isError }) => isError);
  return (
    <Card title={t("gifts.title")}>
      {gifts.data !== undefined && requests.data !== undefined ? (
        <div className="stack">
          <Requests requests={requests.data} />
          <Gifts gifts={gifts.data} />
        </div>
      ) : failed !== undefined ? (
        <LoadFailure text={t("gifts.failure")} of={failed} />
      ) : (
        <SkeletonRows rows={2} />
      )}
    </Card>
  );
}

function Requests({ requests }: { readonly requests: readonly CreditRequestResponse[] }) {
  const { t } = useTranslation("billing");
  const client = useQueryClient();
  const refresh = () => client.invalidateQueries({ queryKey: requestsQuery.queryKey });
  const [amount, setAmount] = useState("");
  // Only where they really call: a guess would be said to others as theirs.
  const [shown = null] = useTalkRates().own;
  const form = useServiceForm({
    empty: { note: "", amount: "" },
    send: async ({ note }) => {
      const wanted = amount.trim() === "" ? null : readTopUp(amount).micros;
      const body = { amount: wanted === null ? null : toDecimalString(wanted), note, country: shown?.country_code ?? null };
      await request("POST /api/credit-requests", { body });
      await refresh();
    },
    fallback: t("gifts.failure"),
  });
  const problem = amount.trim() === "" ? null : readTopUp(amount).problem;
  return (
    <section className="stack" aria-label={t("gifts.askTitle")}>
      <p className="muted">{t("gifts.askText")}</p>
      {requests.map((one) => (
        <RequestLink key={one.id} link={one} onChanged={refresh} />
      ))}
      <Form className="stack" noValidate onSubmit={form.submit}>
        {form.failure !== null && <Banner kind="error">{form.failure}</Banner>}
        <MoneyField
          label={t("gifts.askAmount")}
          {...(problem === null
            ? { hint: t("gifts.askAmountHint") }
            : { error: t(problem === "unreadable" ? "amount.unreadable" : "gifts.amountHint") })}
          value={amount}
          onValue={setAmount}
        />
        <Field
          label={t("gifts.askNote")}
          hint={t("gifts.greetingHint")}
          autoComplete="off"
          dir="auto"
          {...form.field("note", {})}
        />
        {shown !== null && (
          <p className="muted">{t("gifts.askCountry", { country: countryName(shown.country_code, shown.country_name) })}</p>
        )}
        <p>
          <Button pair="action" type="submit" busy={form.busy} disabled={problem !== null}>
            {t(form.busy ? "gifts.making" : "gifts.make")}
          </Button>
        </p>
      </Form>
    </section>
  );
}

interface RequestLinkProps {
  readonly link: CreditRequestResponse;
  readonly onChanged: () => Promise<void>;
}

function RequestLink({ link, onChanged }: RequestLinkProps) {
  const { t } = useTranslation("billing");
  const saying = (done: string) => ({
    onSuccess: async () => {
      toast.success(done);
      await onChanged();
    },
    onError: (error: unknown) => toast.error(messageOf(error, t("gifts.failure"))),
  });
  const remove = useMutation({
    mutationFn: () => request("DELETE /api/credit-requests/:id", { params: { id: link.id } }),
    ...saying(t("gifts.removed")),
  });
  const replace = useMutation({
    mutationFn: () => {
      const { id, amount, note, country } = link;
      return request("POST /api/credit-requests", { body: { amount, note, country, replaces: id } });
    },
    ...saying(t("gifts.replaced")),
  });
  const busy = remove.isPending || replace.isPending;
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(link.url);
      toast.success(t("gifts.copied"));
    } catch {
      toast.error(t("gifts.notCopied"));
    }
  };
  return (
    <div>
      <LinkField label={t("gifts.made")} hint={t("gifts.until", { date: formatDate(link.expires_at) })} value={link.url} />
      <p className="row">
        <Button size="sm" onClick={() => void copy()}>
          {t("gifts.copy")}
        </Button>
        <Button size="sm" busy={busy} onClick={() => replace.mutate()}>
          {t("gifts.replace")}
        </Button>
        <Button size="sm" busy={busy} onClick={() => remove.mutate()}>
          {t("gifts.remove")}
        </Button>
      </p>
    </div>
  );
}

function Gifts({ gifts }: { readonly gifts: readonly Gift[] }) {
  const { t } = useTranslation("billing");
  if (gifts.length === 0) return null;
  return (
    <section aria-label={t("gifts.listTitle")}>
      <h3 className="t-sub">{t("gifts.listTitle")}</h3>
      <ul className={rowsStyles.rows}>
        {gifts.map((gift) => (
          <GiftRow key={gift.id} gift={gift} />
        ))}
      </ul>
    </section>
  );
}

function GiftRow({ gift }: { readonly gift: Gift }) {
  const { t } = useTranslation("billing");
  const { name, state, direction, returned } = gift;
  const wentBack = Number(returned) > 0;
  const said =
    state === "kept" && direction === "received"
      ? t(gift.goes_back ? "gifts.wentBack" : "gifts.notGiven", { name })
      : wentBack
        ? t("gifts.returned", { amount: formatSum(returned) })
        : t(`gifts.state.${state}`, { date: gift.due_at === null ? "" : formatDate(gift.due_at) });
  return (
    <li className="spread">
      <span>
        <b>{t(`gifts.${gift.direction}`, { name: gift.name })}</b>
        <br />
        <span className={rowsStyles.meta}>
          <time dateTime={gift.created_at}>{formatDate(gift.created_at)}</time>
          {(state !== "given" || wentBack) && <span>{` · ${said}`}</span>}
        </span>
        {gift.greeting !== "" && <bdi className="muted">{gift.greeting}</bdi>}
      </span>
      <strong className="fig">{formatMoney(gift.amount)}</strong>
    </li>
  );
}
