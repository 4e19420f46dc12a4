import { endReasons, freezeReasons } from "@farline/contract/constants.ts";
import { customerStates, paymentStates } from "@farline/contract/operator/constants.ts";
import type { ListedCall, ListedCustomer, ListedPayment } from "@farline/contract/operator/lists.ts";
import { callStatusWords, endReasonWords } from "@farline/contract/operator/words/call-words.ts";
import {
  declineReasonWords,
  declineWords,
  dollarText,
  isNothing,
  methodText,
  paymentStateWords,
  paymentStatusWords,
  sumText,
} from "@farline/contract/operator/words/money-words.ts";
import { customerStatusWords, freezeWords, innerWordFor, wordFor, type WordsOf } from "@farline/contract/operator/words/words.ts";
import { countryByCode } from "@farline/domain/countries/countries.ts";
import { Link } from "react-router";
import { Flag } from "../../ui/flag.tsx";
import { consoleFile, consoleRequest } from "../console-request.ts";
import { useRight } from "../console-session.tsx";
import { type Column, type Filter, FilteredList } from "./filtered-list.tsx";
import * as styles from "./list.module.css";
import { Numbers, When } from "../shell/inline-parts.tsx";

const SPAN: readonly Filter[] = [
  { name: "from", label: "From day", kind: "date" },
  { name: "to", label: "To day", kind: "date" },
];
const NETWORK: Filter = { name: "network", label: "Network", kind: "text", hint: "203.0.113.0/24" };
const LIMITS: readonly Filter[] = [
  { name: "least", label: "At least", kind: "money" },
  { name: "most", label: "At most", kind: "money" },
];

function choicesOf<Code extends string>(codes: readonly Code[], words: WordsOf<Code>): (readonly [Code, string])[] {
  return codes.map((code) => [code, words[code]] as const);
}

function At({ at }: { readonly at: string }) {
  return <When at={at} />;
}

/** Leads to the customer. */
function Owner({
  of: { customer_id: id, name, email },
}: {
  readonly of: Pick<ListedCustomer, "customer_id" | "name" | "email">;
}) {
  return (
    <Link to={`/operator/customers/${id}`} title={email}>
      {name === "" ? email : name}
    </Link>
  );
}

function paymentText({ status, refunded, disputed, amount }: ListedPayment): string {
  if (disputed) return paymentStateWords.disputed;
  if (isNothing(refunded)) return paymentStatusWords[status];
  return refunded === amount ? paymentStateWords.refunded : `${paymentStateWords.refunded} ${dollarText(refunded)}`;
}

const PAYMENT_COLUMNS: readonly Column<ListedPayment>[] = [
  { head: "Customer", look: "lead", cell: (row) => <Owner of={row} /> },
  { head: "Time", cell: ({ at }) => <At at={at} /> },
  { head: "Amount", look: "sum", cell: ({ amount }) => dollarText(amount) },
  { head: "State", cell: paymentText },
  { head: "Reason", cell: ({ reason }) => reason !== null && <span title={reason}>{wordFor(declineWords, reason)}</span> },
  { head: "Card", cell: ({ card }) => (card === "" ? "" : methodText(card)) },
];

/** Payments of all customers: failed, disputed, refunded and waiting ones too. */
export function PaymentsPage() {
  return (
    <FilteredList
      name="payments"
      title="Payments"
      tabs={{ name: "state", choices: choicesOf(paymentStates, paymentStateWords) }}
      filters={[...SPAN, ...LIMITS, { name: "reason", label: "Reason", kind: Object.entries(declineReasonWords) }, NETWORK]}
      columns={PAYMENT_COLUMNS}
      keyOf={({ id }: ListedPayment) => id}
      read={(query) => consoleRequest("GET /api/operator/lists/payments", { query })}
      file={(query) => consoleFile("GET /api/operator/lists/payments/file", { query })}
    />
  );
}

const CALL_TABS = choicesOf(["completed", "failed", "in-progress", "ringing"], callStatusWords);

const CALL_COLUMNS: readonly Column<ListedCall>[] = [
  { head: "Customer", look: "lead", cell: (row) => <Owner of={row} /> },
  {
    head: "Time",
    cell: ({ id, at }) => (
      <Link to={`/operator/calls/${id}`}>
        <At at={at} />
      </Link>
    ),
  },
  {
    head: "To",
    cell: ({ country_code: code }) => (
      <span className={styles.place}>
        <Flag code={code} size="sm" />
        <span>{countryByCode(code)?.name ?? code}</span>
      </span>
    ),
  },
  { head: "Number", cell: ({ destination }) => <Numbers text={destination} /> },
  { head: "Trunk", cell: ({ trunk }) => trunk ?? "" },
  {
    head: "Outcome",
    cell: ({ status, end_reason: reason }) =>
      reason === null || reason === "hangup" ? callStatusWords[status] : endReasonWords[reason],
  },
  { head: "Seconds", look: "figure", cell: ({ seconds }) => (seconds === 0 ? "" : String(seconds)) },
  { head: "Charge", look: "sum", cell: ({ charge }) => (isNothing(charge) ? "" : dollarText(charge)) },
];

const COST: Column<ListedCall> = { head: "Cost", look: "figure", cell: ({ cost }) => (cost === null ? "" : dollarText(cost)) };

/** Calls of all customers. */
export function CallsPage() {
  const seesCosts = useRight("read-costs");
  return (
    <FilteredList
      name="calls"
      title="Calls"
      tabs={{ name: "status", choices: CALL_TABS }}
      filters={[
        ...SPAN,
        { name: "country", label: "Country", kind: "country" },
        { name: "prefix", label: "Number", kind: "text", hint: "+234" },
        { name: "trunk", label: "Trunk", kind: "text" },
        { name: "reason", label: "Ended because", kind: choicesOf(endReasons, endReasonWords) },
        ...LIMITS,
        NETWORK,
      ]}
      columns={seesCosts ? [...CALL_COLUMNS, COST] : CALL_COLUMNS}
      keyOf={({ id }: ListedCall) => id}
      read={(query) => consoleRequest("GET /api/operator/lists/calls", { query })}
      file={(query) => consoleFile("GET /api/operator/lists/calls/file", { query })}
    />
  );
}

function customerText(state: ListedCustomer["state"], reason: ListedCustomer["reason"]): string {
  const text = customerStatusWords[state];
  return reason === null ? text : `${text}: ${innerWordFor(freezeWords, reason)}`;
}

const CUSTOMER_COLUMNS: readonly Column<ListedCustomer>[] = [
  { head: "Customer", look: "lead", cell: (row) => <Owner of={row} /> },
  { head: "Since", cell: ({ at }) => <At at={at} /> },
  { head: "Mail", cell: ({ email, email_verified: isKnown }) => (isKnown ? email : `${email} (not confirmed)`) },
  { head: "State", cell: ({ state, reason }) => customerText(state, reason) },
  { head: "Balance", look: "sum", cell: ({ balance }) => sumText(balance) },
];

/** All customers. */
export function CustomersPage() {
  return (
    <FilteredList
      name="customers"
      title="Customers"
      tabs={{ name: "state", choices: choicesOf(customerStates, customerStatusWords) }}
      filters={[
        ...SPAN,
        { name: "least", label: "Balance at least", kind: "money" },
        { name: "most", label: "Balance at most", kind: "money" },
        { name: "reason", label: "Frozen because", kind: choicesOf(freezeReasons, freezeWords) },
        NETWORK,
      ]}
      columns={CUSTOMER_COLUMNS}
      keyOf={(row: ListedCustomer) => row.customer_id}
      read={(query) => consoleRequest("GET /api/operator/lists/customers", { query })}
      file={(query) => consoleFile("GET /api/operator/lists/customers/file", { query })}
    />
  );
}
