import { countText } from "@farline/contract/operator/words/count-text.ts";
import { sumText, dollarText, isNothing } from "@farline/contract/operator/words/money-words.ts";
import type { OperatorCustomerResponse } from "@farline/contract/operator/customers.ts";
import {
  blockWords,
  customerStatusWords,
  freezeWords,
  languageName,
  termWords,
  tierWords,
  wordFor,
} from "@farline/contract/operator/words/words.ts";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Link, useParams } from "react-router";
import * as styles from "../console.module.css";
import { Card } from "../../ui/card.tsx";
import { classNames } from "../../ui/class-names.ts";
import { Banner } from "../../ui/messages/banner.tsx";
import { Badge } from "../../ui/status-badge.tsx";
import { consoleRequest } from "../console-request.ts";
import { ActionButtons, type Chosen, CustomerOperation } from "../operation/customer-operation.tsx";
import { Loaded, Pairs } from "../shell/figures.tsx";
import { CopyKey, Times, When } from "../shell/inline-parts.tsx";
import { PageTitle } from "../shell/top-bar.tsx";
import { Timeline } from "./timeline.tsx";

/** A customer: money, limits, access, everything that happened, and what can be done about it. */
export function CustomerPage() {
  const { id = "" } = useParams();
  const [chosen, setChosen] = useState<Chosen | null>(null);
  const customer = useQuery({
    queryKey: ["customer", id],
    queryFn: () => consoleRequest("GET /api/operator/customers/:id", { params: { id } }),
  });
  return (
    <>
      <PageTitle title="Customer" />
      <Loaded of={customer} failure="The customer could not be loaded">
        {(data) => (
          <div className="stack">
            <Head of={data} onChosen={(action) => setChosen({ action, entry: null })} />
            <Five of={data} />
            <div className={styles.beside}>
              <Timeline id={id} onChosen={setChosen} />
              <div className="stack">
                <Limits of={data} />
                <Access of={data} />
              </div>
            </div>
            {chosen !== null && <CustomerOperation chosen={chosen} customer={data} onClose={() => setChosen(null)} />}
          </div>
        )}
      </Loaded>
    </>
  );
}

interface HeadProps {
  readonly of: OperatorCustomerResponse;
  readonly onChosen: (action: Chosen["action"]) => void;
}

function Head({ of: { customer, blocked, can }, onChosen }: HeadProps) {
  const { status, frozen_because: because, closes_at: closesAt } = customer;
  return (
    <header className={styles.profile}>
      <div className={styles.profileName}>
        <h2 className={styles.bigName}>{customer.name === "" ? customer.email : customer.name}</h2>
        <Badge like={status === "active" ? "completed" : status === "frozen" ? "failed" : "pending"} plain>
          {customerStatusWords[status]}
        </Badge>
      </div>
      <ActionButtons can={can} about={customer.email} onChosen={onChosen} />
      <p className={classNames("muted", styles.profileLine)}>
        <span>
          <span>{customer.email}</span>
          <CopyKey of={customer.email} what="email address" />
        </span>
        <span>{customer.email_verified ? "address confirmed" : "address not confirmed"}</span>
        {customer.email_refused && <span className={styles.late}>mail refused</span>}
        <span>{`reads ${languageName(customer.language)}`}</span>
        <span>
          <span>customer since </span>
          <When at={customer.created_at} />
        </span>
        <span>
          <span>customer id</span>
          <CopyKey of={customer.id} what="customer id" />
        </span>
      </p>
      {status === "frozen" && (
        <Banner kind="warn">
          {`Frozen: no calls, top-ups or withdrawals. The customer is told: ${because === null ? "nothing" : `“${freezeWords[because]}”`}.`}
        </Banner>
      )}
      {closesAt !== null && (
        <Banner kind="warn">
          <Times text={`The account closes on ${closesAt} unless its owner calls it off.`} />
        </Banner>
      )}
      {blocked !== null && (
        <Banner kind="warn">
          <Times text={`Calls are paused until ${blocked.until}: ${wordFor(blockWords, blocked.rule)}.`} />
        </Banner>
      )}
    </header>
  );
}

/** The figures that are asked for first. */
function Five({ of: { money, counts, tier } }: { readonly of: OperatorCustomerResponse }) {
  const parts = [
    isNothing(money.bonus) ? "" : `${sumText(money.bonus)} of it bonus`,
    isNothing(money.held) ? "nothing held" : `${sumText(money.held)} held for calls`,
  ];
  const waits = counts.open_cases + counts.open_refund_requests + counts.open_disputes;
  const waiting = [
    [counts.open_cases, "question"] as const,
    [counts.open_refund_requests, "refund request"] as const,
    [counts.open_disputes, "dispute"] as const,
  ].flatMap(([count, one]) => (count === 0 ? [] : [countText(count, one)]));
  const paid = tier.because.paid_payments;
  return (
    <dl className={styles.five}>
      <div className={styles.yellow}>
        <dt>Balance</dt>
        <dd>{sumText(money.balance)}</dd>
        <dd>{parts.filter((part) => part !== "").join(", ")}</dd>
      </div>
      <div>
        <dt>Can withdraw</dt>
        <dd>{isNothing(money.withdrawable) ? "nothing" : dollarText(money.withdrawable)}</dd>
        <dd>
          {isNothing(money.debt) ? "owes nothing" : <span className={styles.late}>{`owes ${dollarText(money.debt)}`}</span>}
        </dd>
      </div>
      <div>
        <dt>Paid</dt>
        <dd>{isNothing(money.paid) ? "nothing" : dollarText(money.paid)}</dd>
        <dd>
          {paid === 0
            ? "no payment was kept"
            : `${countText(paid, "payment")} kept, ${tier.because.authenticated_payments} confirmed by the bank`}
        </dd>
      </div>
      <div>
        <dt>Live calls</dt>
        <dd>{counts.live_calls === 0 ? "none" : counts.live_calls}</dd>
        <dd>{tier.because.ever_disputed ? "has disputed a payment" : "never disputed a payment"}</dd>
      </div>
      <div>
        <dt>Waits for us</dt>
        <dd className={classNames(waits > 0 && styles.waits)}>{waits === 0 ? "nothing" : waits}</dd>
        <dd>{waits === 0 ? "no open case" : <Link to="/operator/queue">{waiting.join(", ")}</Link>}</dd>
      </div>
    </dl>
  );
}

function Limits({ of: { tier, terms, own_limits: own } }: { readonly of: OperatorCustomerResponse }) {
  const limits = terms.filter(({ name }) => name !== "tier").map(({ name, value }) => [termWords[name], value]);
  const set = terms.filter((term) => term.set !== null);
  return (
    <Card>
      <h2 className="t-card">Limits</h2>
      <Pairs
        of={{
          Trust: tierWords[tier.name],
          ...(Object.fromEntries(limits) as Record<string, string>),
          "Own limit per day": capText(own?.daily_cap),
          "Own limit per call": capText(own?.call_cap),
        }}
      />
      <p className="small muted">{trustText(tier)}</p>
      {set.length > 0 && (
        <ul className={styles.rows} aria-label="Set by operators">
          {set.map(({ name, value, set: by }) => (
            <li key={name} className={styles.row}>
              <span className={styles.title}>{`${termWords[name]}: ${name === "tier" ? wordFor(tierWords, value) : value}`}</span>
              {by && (
                <span className="small muted">
                  <span>until </span>
                  <When at={by.until} />
                  <span>{`, ${by.by}: ${by.reason}`}</span>
                </span>
              )}
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}

function capText(cap: string | null | undefined): string | null {
  return cap === undefined || cap === null ? null : dollarText(cap);
}

/** Why the trust is what it is. */
function trustText({ name, earned, limits_apply: apply, because }: OperatorCustomerResponse["tier"]): string {
  const facts = `An account of ${countText(because.account_days, "day")}, ${countText(because.paid_payments, "kept payment")}, ${dollarText(because.long_settled)} settled long ago.`;
  const set = name === earned ? "" : ` Set by an operator; earned is ${tierWords[earned].toLowerCase()}.`;
  return `${facts}${set}${apply ? "" : " Limits are off in this installation."}`;
}

function Access({ of: { counts, caller_numbers: numbers, family } }: { readonly of: OperatorCustomerResponse }) {
  const people = family.map(({ email, is_owner: isOwner }) => (isOwner ? `${email} (owner)` : email));
  return (
    <Card>
      <h2 className="t-card">Access</h2>
      <Pairs
        of={{
          "Devices signed in": some(counts.sessions),
          "Saved cards": some(counts.saved_cards),
          Contacts: some(counts.contacts),
          "Own numbers": numbers.length === 0 ? "none" : numbers.join(", "),
          Family: people.length === 0 ? "none" : people.join(", "),
        }}
      />
    </Card>
  );
}

function some(count: number): string {
  return count === 0 ? "none" : String(count);
}
