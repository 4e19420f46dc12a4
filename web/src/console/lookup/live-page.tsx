import { countText } from "@farline/contract/operator/words/count-text.ts";
import { type LiveOrder, liveOrders, type LiveState, liveStates, MAX_LIVE_ROWS } from "@farline/contract/operator/constants.ts";
import type { LiveCallsResponse, LiveGroups } from "@farline/contract/operator/live-calls.ts";
import { formatDollars, fromDecimalString } from "@farline/domain/money.ts";
import { useCallback, useState } from "react";
import { Link, useSearchParams } from "react-router";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { classNames } from "../../ui/class-names.ts";
import { EmptyState } from "../../ui/empty-state.tsx";
import { Flag } from "../../ui/flag.tsx";
import { Field } from "../../ui/forms/field.tsx";
import { Form } from "../../ui/forms/form.tsx";
import { consoleRequest } from "../console-request.ts";
import { useRight } from "../console-session.tsx";
import * as listStyles from "../lists/list.module.css";
import { Loaded } from "../shell/figures.tsx";
import { useLiveReading } from "../shell/live-reading.tsx";
import { PageTitle } from "../shell/top-bar.tsx";
import { type Asked, Confirmation } from "./live-confirmation.tsx";
import { type LivePart, LiveTable } from "./live-table.tsx";
import * as styles from "./live.module.css";

/** Parts begin at multiples of this, so that scrolling by a row asks for nothing. */
const PART_STEP = MAX_LIVE_ROWS / 4;

const MICROS_A_DOLLAR = 1_000_000n;
const LARGE_MICROS = 1_000n * MICROS_A_DOLLAR;

const FILTERS = ["customer", "prefix", "country", "trunk", "state"] as const;
type FilterName = (typeof FILTERS)[number];
type LiveFilter = Readonly<Partial<Record<Exclude<FilterName, "state">, string> & { state: LiveState }>>;

const ORDER_WORDS: Readonly<Record<LiveOrder, readonly [usual: string, reversed: string]>> = {
  cost: ["most expensive first", "cheapest first"],
  duration: ["longest first", "shortest first"],
  start: ["newest first", "oldest first"],
  country: ["by country", "by country, from the end"],
  trunk: ["by trunk", "by trunk, from the end"],
};
const STATE_WORDS: Readonly<Record<LiveState, string>> = {
  ringing: "Ringing",
  short: "Under 2 min left",
  bad_sound: "Bad sound",
};

/** Calls of this moment, ringing ones too. What narrows and orders them is in the address. */
export function LiveCallsPage() {
  const [address, setAddress] = useSearchParams();
  const filter = filterIn(address);
  const order = liveOrders.find((one) => one === address.get("sort")) ?? "cost";
  const reverse = address.has("reverse");
  const list = JSON.stringify([filter, order, reverse]);
  const [view, setView] = useState({ list, offset: 0 });
  const offset = view.list === list ? view.offset : 0;
  const live = useLiveReading({
    queryKey: ["live-calls", list, offset],
    read: async (unattended): Promise<LivePart & { readonly at: string }> => {
      const query = { ...filter, order, reverse: String(reverse), offset };
      const answer = await consoleRequest("GET /api/operator/calls/live", { query, unattended });
      return { offset, answer, at: answer.at };
    },
    keepPrevious: true,
  });
  const onView = useCallback(
    (first: number, last: number) => {
      setView((was) => {
        const from = was.list === list ? was.offset : 0;
        if (first >= from && last < from + MAX_LIVE_ROWS) return was.list === list ? was : { list, offset: from };
        const middle = Math.floor((first + last) / 2) - MAX_LIVE_ROWS / 2;
        return { list, offset: Math.max(0, Math.floor(middle / PART_STEP) * PART_STEP) };
      });
    },
    [list],
  );
  const narrow = (name: FilterName, value: string | undefined) => setAddress(addressWith(address, name, value));
  const turn = (chosen: LiveOrder) =>
    setAddress((before) => {
      const next = new URLSearchParams(before);
      next.set("sort", chosen);
      if (chosen === order && !reverse) next.set("reverse", "");
      else next.delete("reverse");
      return next;
    });
  return (
    <>
      <PageTitle title="Live calls" />
      <Loaded of={live} failure="The live calls could not be loaded">
        {(part) => (
          <div className={styles.page}>
            <Sums of={part.answer} address={address} />
            <Calls
              {...{ part, filter, order, reverse, address, onView }}
              partKey={`${list} ${part.offset}`}
              onOrder={turn}
              onPrefix={(prefix) => narrow("prefix", prefix)}
            />
          </div>
        )}
      </Loaded>
    </>
  );
}

function filterIn(address: URLSearchParams): LiveFilter {
  const { state: _, ...others } = Object.fromEntries(
    FILTERS.flatMap((name) => (address.has(name) ? [[name, address.get(name)]] : [])),
  );
  const state = liveStates.find((one) => one === address.get("state"));
  return { ...others, ...(state !== undefined && { state }) };
}

function addressWith(address: URLSearchParams, name: FilterName, value: string | undefined): URLSearchParams {
  const next = new URLSearchParams(address);
  if (value === undefined) next.delete(name);
  else next.set(name, value);
  return next;
}

interface SumsProps {
  readonly of: LiveCallsResponse;
  readonly address: URLSearchParams;
}

/** Sums over all live calls, whatever the table shows. */
function Sums({ of: { sums, countries, trunks, prefixes, customers }, address }: SumsProps) {
  const { talking, ringing, charge, per_minute: perMinute, held, margin } = sums;
  return (
    <>
      <Card className={styles.total}>
        <dl className={styles.figures}>
          <Figure name="Talking" value={talking.toLocaleString("en-US")} large />
          <Figure name="Ringing" value={ringing.toLocaleString("en-US")} large />
          {talking + ringing > 0 && (
            <>
              <Figure name="So far" value={`$${glanceText(charge)}`} />
              <Figure name="A minute" value={`$${glanceText(perMinute)}`} />
              <Figure name="At most" value={`$${glanceText(held)}`} />
              {margin !== null && <Figure name="Margin" value={`$${glanceText(margin)}`} />}
            </>
          )}
        </dl>
      </Card>
      <aside className={styles.sums} aria-label="Sums">
        <Groups title="Countries" filter="country" of={countries} address={address} />
        <Groups title="Trunks" filter="trunk" of={trunks} address={address} />
        <Groups title="Prefixes" filter="prefix" of={prefixes} address={address} />
        <Groups title="Customers" aside="with 2 and more" filter="customer" of={customers} address={address} />
      </aside>
    </>
  );
}

interface FigureProps {
  readonly name: string;
  readonly value: string;
  readonly large?: boolean;
}

function Figure({ name, value, large = false }: FigureProps) {
  return (
    <div className={large ? styles.large : undefined}>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}

/** Cents, and from a thousand dollars on whole dollars: a figure is read at a glance. @param amount decimal string */
function glanceText(amount: string): string {
  const micros = fromDecimalString(amount);
  return micros < LARGE_MICROS ? formatDollars(micros) : (micros / MICROS_A_DOLLAR).toLocaleString("en-US");
}

interface GroupsProps extends SumsPart {
  readonly title: string;
  readonly aside?: string;
}

interface SumsPart {
  readonly filter: FilterName;
  readonly of: LiveGroups;
  readonly address: URLSearchParams;
}

/** Each group leads to its calls, and back to all of them. */
function Groups({ title, aside = "calls, so far", filter, of: { groups, others }, address }: GroupsProps) {
  if (groups.length === 0) return null;
  const chosen = address.get(filter);
  return (
    <Card title={title} aside={<span className="small muted">{aside}</span>}>
      <ul>
        {groups.map(({ key, name, calls, charge }) => (
          <li key={key}>
            <Link
              className={styles.group}
              aria-current={chosen === key ? "true" : undefined}
              to={`?${addressWith(address, filter, chosen === key ? undefined : key).toString()}`}
            >
              <span className={styles.name}>
                {filter === "country" && <Flag code={key} size="sm" />}
                <span>{name === "" ? "Not yet routed" : name}</span>
              </span>
              <span>{calls.toLocaleString("en-US")}</span>
              <span>{`$${glanceText(charge)}`}</span>
            </Link>
          </li>
        ))}
        {others.groups > 0 && (
          <li className={styles.group}>
            <span>{`${others.groups} others`}</span>
            <span>{others.calls.toLocaleString("en-US")}</span>
            <span>{`$${glanceText(others.charge)}`}</span>
          </li>
        )}
      </ul>
    </Card>
  );
}

interface CallsProps {
  readonly part: LivePart;
  readonly partKey: string;
  readonly filter: LiveFilter;
  readonly order: LiveOrder;
  readonly reverse: boolean;
  readonly address: URLSearchParams;
  readonly onOrder: (order: LiveOrder) => void;
  readonly onView: (first: number, last: number) => void;
  readonly onPrefix: (prefix: string | undefined) => void;
}

function Calls({ part, partKey, filter, order, reverse, address, onOrder, onView, onPrefix }: CallsProps) {
  const [asked, setAsked] = useState<Asked | null>(null);
  const mayEnd = useRight("restrict");
  const { matching, more, exchanges } = part.answer;
  return (
    <Card className={classNames("stack", styles.calls)}>
      <div className={styles.bar}>
        <div className="row">
          <h2 className="t-card">{countText(matching, "call")}</h2>
          <span className="small muted">{ORDER_WORDS[order][reverse ? 1 : 0]}</span>
        </div>
        <States of={part.answer} chosen={filter.state} address={address} />
      </div>
      {more && <p className="small muted">There are more live calls than are counted. The oldest are left out.</p>}
      <div className={styles.bar}>
        <PrefixForm key={filter.prefix ?? ""} prefix={filter.prefix ?? ""} onPrefix={onPrefix} />
        <div className={listStyles.keys}>
          {Object.keys(filter).length > 0 && (
            <Link className="link" to="/operator/live">
              Show all calls
            </Link>
          )}
          {mayEnd && matching > 0 && endsAll(filter) && (
            <Button size="sm" pair="end" onClick={() => setAsked({ ends: "all", ...filter, calls: matching })}>
              Hang up all of these
            </Button>
          )}
          {mayEnd && exchanges.length > 0 && (
            <Button size="sm" onClick={() => setAsked({ ends: "exchange" })}>
              Settle a lost exchange
            </Button>
          )}
        </div>
      </div>
      {matching === 0 ? (
        <EmptyState title={Object.keys(filter).length > 0 ? "No live call matches" : "Nobody is calling right now"} />
      ) : (
        <LiveTable
          {...{ part, partKey, order, reverse, onOrder, onView }}
          onEnd={mayEnd ? (call) => setAsked({ ends: "call", call }) : null}
          onFreeze={mayEnd ? (call) => setAsked({ ends: "customer", call }) : null}
        />
      )}
      {asked !== null && <Confirmation asked={asked} exchanges={exchanges} onClose={() => setAsked(null)} />}
    </Card>
  );
}

/** Only what one command ends: all calls of a customer, or all to a prefix. */
function endsAll({ customer, prefix, country, trunk, state }: LiveFilter): boolean {
  return (customer === undefined) !== (prefix === undefined) && [country, trunk, state].every((one) => one === undefined);
}

interface StatesProps {
  readonly of: LiveCallsResponse;
  readonly chosen: string | undefined;
  readonly address: URLSearchParams;
}

function States({ of: { states }, chosen, address }: StatesProps) {
  return (
    <nav className={listStyles.tabs} aria-label="Which">
      {[undefined, ...liveStates].map((state) => (
        <Link
          key={state ?? "all"}
          className={listStyles.tab}
          aria-current={chosen === state ? "page" : undefined}
          to={`?${addressWith(address, "state", state).toString()}`}
        >
          {state === undefined ? "All" : `${STATE_WORDS[state]} ${(states[state] ?? 0).toLocaleString("en-US")}`}
        </Link>
      ))}
    </nav>
  );
}

interface PrefixFormProps {
  readonly prefix: string;
  readonly onPrefix: (prefix: string | undefined) => void;
}

/** Chooses the called numbers by how they begin. */
function PrefixForm({ prefix, onPrefix }: PrefixFormProps) {
  const [typed, setTyped] = useState(prefix);
  return (
    <Form
      className={styles.prefix}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        onPrefix(typed.trim() === "" ? undefined : typed.trim());
      }}
    >
      <Field
        label="Numbers that begin with"
        labelHidden
        className={styles.prefixBox}
        placeholder="+8821…"
        inputMode="tel"
        autoComplete="off"
        value={typed}
        onValue={setTyped}
      />
      <Button type="submit" size="sm">
        Show
      </Button>
    </Form>
  );
}
