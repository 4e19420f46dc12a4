import type { OperatorCustomerResponse, RefundPreview, TimelineEntry } from "@farline/contract/operator/customers.ts";
import { declarationOf, type OperationName } from "@farline/contract/operator/operations.ts";
import { dollarText, methodText, sumText } from "@farline/contract/operator/words/money-words.ts";
import { fromDecimalString, smallerOf, toDecimalString } from "@farline/domain/money.ts";
import { dollarsToSend, readDollars } from "@farline/domain/typed/typed-dollars.ts";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useDeferredValue, useState } from "react";
import * as styles from "../console.module.css";
import { messageOf } from "../../service/http.ts";
import { Button } from "../../ui/button.tsx";
import { Field } from "../../ui/forms/field.tsx";
import { MoneyField } from "../../ui/forms/form-fields.tsx";
import { Banner } from "../../ui/messages/banner.tsx";
import { ValueList } from "../../ui/value-list.tsx";
import { consoleRequest } from "../console-request.ts";
import { CheckBox, SelectField } from "../shell/fields.tsx";
import { UNREADABLE } from "./form-dialog.tsx";
import { OperationForm } from "./operation-form.tsx";
import { TermForm } from "./term-form.tsx";
import { Loading } from "../shell/figures.tsx";

/** An operation that was chosen on a customer's page, and what it is about. */
export interface Chosen {
  readonly action: OperationName;
  /** Null: the customer. */
  readonly entry: TimelineEntry | null;
}

interface ActionButtonsProps {
  readonly can: readonly OperationName[];
  /** What they are about, for a screen reader that reads the buttons alone. */
  readonly about: string;
  readonly onChosen: (action: OperationName) => void;
}

/** A button for each thing that the operator can do. */
export function ActionButtons({ can, about, onChosen }: ActionButtonsProps) {
  // Questions are answered in the queue.
  const here = can.filter((action) => declarationOf(action).subject !== "number");
  here.sort((one, other) => Number(declarationOf(one).ends ?? false) - Number(declarationOf(other).ends ?? false));
  if (here.length === 0) return null;
  return (
    <div className={styles.actions}>
      {here.map((action) => {
        const { label, ends } = declarationOf(action);
        return (
          <Button
            key={action}
            size="sm"
            className={ends === true ? styles.takes : undefined}
            aria-label={`${label}: ${about}`}
            onClick={() => onChosen(action)}
          >
            {label}
          </Button>
        );
      })}
    </div>
  );
}

interface CustomerOperationProps {
  readonly chosen: Chosen;
  readonly customer: OperatorCustomerResponse;
  readonly onClose: () => void;
}

/** The form of the chosen operation, with a preview where it moves an amount that the operator types. */
export function CustomerOperation({ chosen: { action, entry }, customer, onClose }: CustomerOperationProps) {
  if (action === "set-term") return <TermForm customer={customer} onClose={onClose} />;
  if (action === "adjust") return <AdjustForm customer={customer} onClose={onClose} />;
  if (action === "refund") return <RefundForm payment={entry?.id ?? ""} onClose={onClose} />;
  const { id, email } = customer.customer;
  const { counts, money } = customer;
  const about = { email, sessions: counts.sessions, liveCalls: counts.live_calls, debt: money.debt, alone: money.alone, entry };
  const { label, subject } = declarationOf(action);
  return (
    <OperationForm
      operation={action}
      subject={subject === "customer" ? id : (entry?.id ?? "")}
      about={about}
      title={entry === null ? `${label}: ${email}` : label}
      {...(action === "hang-up" ? { input: hangUpInput(entry === null ? { customer: id } : { call: entry.id }) } : {})}
      {...(action === "refund-call" ? { input: { answer: null } } : {})}
      onClose={onClose}
    >
      {action === "erase-account" && <ErasurePreview customer={id} />}
    </OperationForm>
  );
}

/** What an erasure would forfeit, and what blocks it. */
function ErasurePreview({ customer }: { readonly customer: string }) {
  const erasure = useQuery({
    queryKey: ["erasure", customer],
    queryFn: () => consoleRequest("GET /api/operator/customers/:id/erasure", { params: { id: customer } }),
  });
  if (erasure.isPending) return <Loading />;
  if (erasure.isError) {
    return <Banner kind="error">{messageOf(erasure.error, "What an erasure would forfeit could not be loaded.")}</Banner>;
  }
  return <MoneyPreview of={{ "Credit that is lost": dollarText(erasure.data.lost), "Blocked because": erasure.data.obstacle }} />;
}

/** What to hang up: a call, or all of a customer or to a prefix. */
export function hangUpInput(which: { readonly call?: string; readonly customer?: string; readonly prefix?: string }) {
  return { prefix: undefined, customer: undefined, call: undefined, ...which };
}

const CHOOSE = ["", "Choose"] as const;
const DIRECTIONS = [
  ["add", "Add credit"],
  ["take", "Take credit"],
] as const;

function AdjustForm({ customer: { customer, money }, onClose }: Omit<CustomerOperationProps, "chosen">) {
  const [amount, setAmount] = useState("");
  const [direction, setDirection] = useState("");
  const take = direction === "take";
  const micros = amount.trim() === "" ? 0n : readDollars(amount);
  return (
    <OperationForm
      operation={take ? "deduct" : "adjust"}
      subject={customer.id}
      title={`Correct the credit of ${customer.email}`}
      text="The customer sees it as a correction on their account."
      action={direction === "" ? "Correct" : take ? "Take credit" : "Add credit"}
      input={{ amount: micros === null ? "" : dollarsToSend(amount) }}
      problem={direction === "" ? "Choose whether to add or to take credit." : micros === null ? UNREADABLE : null}
      onClose={onClose}
    >
      <SelectField
        label="Direction"
        options={direction === "" ? [CHOOSE, ...DIRECTIONS] : DIRECTIONS}
        value={direction}
        onChosen={setDirection}
      />
      <MoneyField label="Amount" error={micros === null ? UNREADABLE : undefined} value={amount} onValue={setAmount} />
      {micros !== null && direction !== "" && <MoneyPreview of={adjustPreview(money, micros, take)} />}
    </OperationForm>
  );
}

function adjustPreview(money: OperatorCustomerResponse["money"], micros: bigint, take: boolean): Record<string, string | null> {
  const [balance, debt] = [fromDecimalString(money.balance), fromDecimalString(money.debt)];
  const repaid = take ? 0n : smallerOf(debt, micros);
  const after = take ? balance - micros : balance + micros - repaid;
  return {
    "Balance now": sumText(money.balance),
    "Balance afterwards": sumText(toDecimalString(after)),
    "Repays debt": repaid === 0n ? null : dollarText(toDecimalString(repaid)),
    "Can be taken": take ? dollarText(money.available) : null,
    "Your limit without approval": sumText(money.alone),
  };
}

interface RefundFormProps {
  /** Id of the payment. */
  readonly payment: string;
  readonly onClose: () => void;
}

function RefundForm({ payment, onClose }: RefundFormProps) {
  const [amount, setAmount] = useState("");
  const [force, setForce] = useState(false);
  const [outside, setOutside] = useState("");
  const wanted = refundOf(amount);
  const previewed = useDeferredValue(amount);
  const query = refundOf(previewed);
  const preview = useQuery({
    queryKey: ["refund", payment, query],
    queryFn: () => consoleRequest("GET /api/operator/payments/:id/refund", { params: { id: payment }, query: query ?? {} }),
    placeholderData: keepPreviousData,
    enabled: query !== null,
  });
  const isReadable = wanted !== null && query !== null;
  const isSpent = isReadable && preview.data !== undefined && Number(preview.data.debt) > 0;
  return (
    <OperationForm
      operation="refund"
      subject={payment}
      title="Refund the payment"
      text="The money goes back to the card or account that paid. Leave the amount empty to refund the rest."
      input={{ amount: undefined, ...wanted, force: force && isSpent, outside: outside.trim() || undefined }}
      problem={wanted === null ? UNREADABLE : null}
      onClose={onClose}
    >
      <MoneyField label="Amount" error={wanted === null ? UNREADABLE : undefined} value={amount} onValue={setAmount} />
      {isReadable && preview.isPending && <Loading />}
      {isReadable && preview.isError && (
        <Banner kind="error">{messageOf(preview.error, "What the refund would do could not be loaded.")}</Banner>
      )}
      {isReadable && preview.isSuccess && <MoneyPreview of={refundPreview(preview.data)} />}
      {isSpent && (
        <CheckBox
          label={`${dollarText(preview.data.debt)} already spent; record it as debt`}
          checked={force}
          onCheck={setForce}
        />
      )}
      <Field
        label="Reference of a transfer made outside (optional)"
        hint="Only if you have already sent the money another way. The provider then sends nothing."
        autoComplete="off"
        value={outside}
        onValue={setOutside}
      />
    </OperationForm>
  );
}

/** An empty amount is everything that is left. Null for anything but an amount above zero. */
function refundOf(typed: string): { readonly amount?: string } | null {
  if (typed.trim() === "") return {};
  const micros = readDollars(typed);
  return micros === null || micros === 0n ? null : { amount: toDecimalString(micros) };
}

function refundPreview({ payment, amount, left, unspent, kept, debt, alone }: RefundPreview): Record<string, string | null> {
  return {
    "Goes back": `${dollarText(amount)}${payment.method === "" ? "" : ` to ${methodText(payment.method)}`}`,
    "Left of the payment": `${dollarText(left)} of ${dollarText(payment.amount)}`,
    "Unspent credit": dollarText(unspent),
    "Kept for spent bonus": Number(kept) === 0 ? null : dollarText(kept),
    "Becomes a debt": Number(debt) === 0 ? null : dollarText(debt),
    "Your limit without approval": sumText(alone),
  };
}

/** What a movement of money would do: names and amounts. */
function MoneyPreview({ of }: { readonly of: Readonly<Record<string, string | null>> }) {
  return (
    <ValueList
      className={styles.preview}
      aria-label="Preview"
      of={Object.entries(of).map(([name, value]) => ({ name, value }))}
    />
  );
}
