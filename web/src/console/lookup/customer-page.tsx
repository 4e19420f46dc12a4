import type { OperatorCustomerResponse, StoryEntry } from "@farline/contract/operator/customers.ts";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Link, useParams } from "react-router";
import * as styles from "../console.module.css";
import { Card } from "../../ui/card.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { ShowMore } from "../../ui/waiting/loaded.tsx";
import { consoleRequest } from "../console-request.ts";
import { ActionButtons, type Chosen, CustomerOperation } from "../operation/customer-operation.tsx";
import { TERM_LABELS } from "../operation/term-form.tsx";
import { Facts, Loaded } from "../shell/figures.tsx";
import { timeText, usePageTitle } from "../shell/texts.ts";

/** A customer: money, tier and why, limits, flags, everything that happened, and what can be done about it. */
export function CustomerPage() {
  const { id = "" } = useParams();
  const [chosen, setChosen] = useState<Chosen | null>(null);
  const customer = useQuery({
    queryKey: ["customer", id],
    queryFn: () => consoleRequest("GET /api/operator/customers/:id", { params: { id } }),
  });
  usePageTitle(customer.data?.customer.name ?? "Customer");
  return (
    <Loaded of={customer} failure="The customer could not be loaded">
      {(data) => (
        <div className="stack">
          <h1 className="t-page head">{data.customer.name}</h1>
          <Card className="stack">
            <Facts of={headOf(data)} />
            <ActionButtons can={data.can} about={data.customer.email} onChosen={(action) => setChosen({ action, entry: null })} />
          </Card>
          <Card className="stack">
            <h2 className="t-card">Tier and limits</h2>
            <Facts of={tierOf(data)} />
            <SetTerms terms={data.terms} />
          </Card>
          <Story id={id} onChosen={setChosen} />
          {chosen !== null && <CustomerOperation chosen={chosen} customer={data} onClose={() => setChosen(null)} />}
        </div>
      )}
    </Loaded>
  );
}

function headOf({ customer, money, counts, blocked, caller_numbers: numbers, family }: OperatorCustomerResponse) {
  const frozen = customer.frozen_because === null ? "" : `: ${customer.frozen_because}`;
  return {
    Email: `${customer.email}${customer.email_verified ? "" : " (not confirmed)"}${customer.email_refused ? ", mail refused" : ""}`,
    Status: `${customer.status}${frozen}`,
    Balance: `$${money.balance}`,
    Held: `$${money.held}`,
    Debt: `$${money.debt}`,
    Bonus: `$${money.bonus}`,
    "Can withdraw": `$${money.withdrawable}`,
    Since: timeText(customer.created_at),
    Language: customer.language,
    "Own numbers": numbers.length === 0 ? null : numbers.join(", "),
    Family:
      family.length === 0
        ? null
        : family.map(({ email, is_owner: isOwner }) => (isOwner ? `${email} (owner)` : email)).join(", "),
    "Calls blocked": blocked === null ? null : `until ${timeText(blocked.until)}, ${blocked.rule}`,
    "Live calls": String(counts.live_calls),
    "Open questions": String(counts.open_cases),
    "Open disputes": String(counts.open_disputes),
    "Signed-in devices": String(counts.sessions),
    "Saved cards": String(counts.saved_cards),
    Contacts: String(counts.contacts),
    Id: customer.id,
  };
}

function tierOf({ tier, terms, own_limits: own }: OperatorCustomerResponse) {
  const { because } = tier;
  return {
    Tier: tier.name === tier.earned ? tier.name : `${tier.name}, set by an operator (earned: ${tier.earned})`,
    "Account age": `${because.account_days} days`,
    "Address confirmed": because.email_verified ? "yes" : "no",
    "Ever disputed": because.ever_disputed ? "yes" : "no",
    Payments: `${because.paid_payments}, ${because.authenticated_payments} confirmed by the bank`,
    "Settled long ago": `$${because.long_settled}`,
    ...Object.fromEntries(terms.filter(({ name }) => name !== "tier").map(({ name, value }) => [TERM_LABELS[name], value])),
    Limits: tier.limits_apply ? null : "off",
    "Own limit a day": own?.daily_cap ? `$${own.daily_cap}` : null,
    "Own limit a call": own?.call_cap ? `$${own.call_cap}` : null,
  };
}

/** What operators have set for a while, and why. */
function SetTerms({ terms }: Pick<OperatorCustomerResponse, "terms">) {
  const set = terms.filter((term) => term.set !== null);
  if (set.length === 0) return null;
  return (
    <ul className={styles.rows} aria-label="Set by operators">
      {set.map(({ name, value, set: by }) => (
        <li key={name} className={styles.row}>
          <div className={styles.head}>
            <span className={styles.title}>{`${TERM_LABELS[name]}: ${value}`}</span>
            <span className="small fig">{by && `until ${timeText(by.until)}`}</span>
          </div>
          <div className={styles.facts}>{by && <span>{`${by.by}: ${by.reason}`}</span>}</div>
        </li>
      ))}
    </ul>
  );
}

interface StoryProps {
  readonly id: string;
  readonly onChosen: (chosen: Chosen) => void;
}

function Story({ id, onChosen }: StoryProps) {
  const story = useInfiniteQuery({
    queryKey: ["story", id],
    queryFn: ({ pageParam }) =>
      consoleRequest("GET /api/operator/customers/:id/story", { params: { id }, query: { cursor: pageParam } }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next_cursor: next }) => next ?? undefined,
  });
  const entries = story.data?.pages.flatMap((page) => page.entries) ?? [];
  return (
    <Card className="stack">
      <h2 className="t-card">Story</h2>
      <Loaded of={story} failure="The story could not be loaded">
        {() => (
          <>
            {entries.length === 0 && <EmptyState title="Nothing has happened yet" />}
            <ul className={styles.rows} aria-label="Story">
              {entries.map((entry) => (
                <EntryRow key={`${entry.type} ${entry.id}`} entry={entry} onChosen={onChosen} />
              ))}
            </ul>
          </>
        )}
      </Loaded>
      <ShowMore of={story} />
    </Card>
  );
}

interface EntryRowProps {
  readonly entry: StoryEntry;
  readonly onChosen: (chosen: Chosen) => void;
}

function EntryRow({ entry, onChosen }: EntryRowProps) {
  const { type, id, at, amount, state, text, can } = entry;
  const title = [type.replaceAll("_", " "), state].filter((part) => part !== null).join(", ");
  return (
    <li className={styles.row}>
      <div className={styles.head}>
        {type === "call" ? (
          <Link className="link" to={`/operator/calls/${id}`}>
            {title}
          </Link>
        ) : (
          <span className={styles.title}>{title}</span>
        )}
        <time className="small fig" dateTime={at}>
          {timeText(at)}
        </time>
      </div>
      <div className={styles.facts}>
        {amount !== null && <span className="fig">{`$${amount}`}</span>}
        {text !== "" && <span>{text}</span>}
        <span>{id}</span>
      </div>
      <ActionButtons can={can} about={`${title} ${id}`} onChosen={(action) => onChosen({ action, entry })} />
    </li>
  );
}
