import type { LiveCall } from "@farline/contract/operator/live-calls.ts";
import { billedSeconds, chargeFor } from "@farline/domain/calls/charge.ts";
import { fromDecimalString, toDecimalString } from "@farline/domain/money.ts";
import { useState } from "react";
import { Link, useNavigate, useSearchParams } from "react-router";
import * as styles from "../console.module.css";
import { useNow } from "../../time/use-now.ts";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { Field } from "../../ui/forms/field.tsx";
import { Form } from "../../ui/forms/form.tsx";
import { consoleRequest } from "../console-request.ts";
import { useRight } from "../console-session.tsx";
import { SelectField } from "../shell/fields.tsx";
import { hangUpInput } from "../operation/customer-operation.tsx";
import { OperationForm } from "../operation/operation-form.tsx";
import { Loaded } from "../shell/figures.tsx";
import { useLiveReading } from "../shell/live-reading.tsx";
import { timeText, usePageTitle } from "../shell/texts.ts";

/** As many rows as are drawn at once; the rest is shown on request. */
const SHOWN = 100;
const SECOND_MS = 1_000;

/** Calls of this moment, ringing ones too: all, those of a customer, or those to numbers that begin with a prefix. */
export function LiveCallsPage() {
  usePageTitle("Live calls");
  const [search] = useSearchParams();
  const filter = filterIn(search);
  const live = useLiveCalls(filter);
  const [ending, setEnding] = useState<Ending | null>(null);
  const [settling, setSettling] = useState(false);
  const mayEnd = useRight("restrict");
  const calls = live.data?.calls ?? [];
  const exchanges = [...new Set(calls.flatMap(({ exchange }) => exchange ?? []))];
  return (
    <div className="stack">
      <div className="spread head">
        <h1 className="t-page">Live calls</h1>
        {live.isSuccess && <span className="fig">{live.data.more ? `more than ${calls.length}` : String(calls.length)}</span>}
      </div>
      <PrefixForm key={filter.prefix ?? ""} prefix={filter.prefix ?? ""} />
      {filter.customer !== undefined && (
        <p>
          <Link className="link" to="/operator/live">
            Show the calls of all customers
          </Link>
        </p>
      )}
      <Card className="stack">
        <Loaded of={live} failure="The live calls could not be loaded">
          {() => (
            <>
              {calls.length === 0 && <EmptyState title={emptyText(filter)} />}
              {mayEnd && calls.length > 0 && (
                <div className={styles.actions}>
                  {(filter.customer !== undefined || filter.prefix !== undefined) && (
                    <Button size="sm" pair="end" onClick={() => setEnding({ ...filter, calls: calls.length })}>
                      Hang up all of these
                    </Button>
                  )}
                  {exchanges.length > 0 && (
                    <Button size="sm" onClick={() => setSettling(true)}>
                      Settle a lost exchange
                    </Button>
                  )}
                </div>
              )}
              <LiveRows calls={calls} mayEnd={mayEnd} onEnd={(call) => setEnding({ call })} />
            </>
          )}
        </Loaded>
      </Card>
      {ending !== null && <HangUpForm ending={ending} onClose={() => setEnding(null)} />}
      {settling && <SettleLostForm exchanges={exchanges} onClose={() => setSettling(false)} />}
    </div>
  );
}

interface LiveFilter {
  readonly customer?: string;
  readonly prefix?: string;
}

function filterIn(search: URLSearchParams): LiveFilter {
  const [customer, prefix] = [search.get("customer"), search.get("prefix")];
  if (customer !== null) return { customer };
  return prefix === null ? {} : { prefix };
}

function emptyText({ customer, prefix }: LiveFilter): string {
  if (customer !== undefined) return "This customer has no live call";
  return prefix === undefined ? "Nobody is calling right now" : `Nobody is calling numbers that begin with ${prefix}`;
}

function useLiveCalls(filter: LiveFilter) {
  return useLiveReading({
    queryKey: ["live-calls", filter],
    read: (unattended) => consoleRequest("GET /api/operator/calls/live", { query: filter, unattended }),
  });
}

interface LiveRowsProps {
  readonly calls: readonly LiveCall[];
  readonly mayEnd: boolean;
  readonly onEnd: (call: LiveCall) => void;
}

function LiveRows({ calls, mayEnd, onEnd }: LiveRowsProps) {
  const [isWhole, setWhole] = useState(false);
  const now = useNow(SECOND_MS);
  const shown = isWhole ? calls : calls.slice(0, SHOWN);
  return (
    <>
      <ul className={styles.rows} aria-label="Live calls">
        {shown.map((call) => (
          <LiveRow key={call.id} call={call} now={now} mayEnd={mayEnd} onEnd={onEnd} />
        ))}
      </ul>
      {shown.length < calls.length && <Button wide onClick={() => setWhole(true)}>{`Show all ${calls.length}`}</Button>}
    </>
  );
}

interface LiveRowProps {
  readonly call: LiveCall;
  /** The service's time. */
  readonly now: number;
  readonly mayEnd: boolean;
  readonly onEnd: (call: LiveCall) => void;
}

/** A live call. How long it lasts and what it has cost goes on between two readings. */
export function LiveRow({ call, now, mayEnd, onEnd }: LiveRowProps) {
  return (
    <li className={styles.row}>
      <div className={styles.head}>
        <Link className="link" to={`/operator/calls/${call.id}`}>
          {`${call.status} to ${call.destination}`}
        </Link>
        <time className="small fig" dateTime={call.since}>
          {timeText(call.since)}
        </time>
      </div>
      <div className={styles.facts}>
        <Link className="link" to={`/operator/customers/${call.customer_id}`}>
          {call.email}
        </Link>
        {factsOf(call, now).map((fact) => (
          <span key={fact}>{fact}</span>
        ))}
      </div>
      {mayEnd && !call.ending && (
        <div className={styles.actions}>
          <Button size="sm" onClick={() => onEnd(call)} aria-label={`Hang up the call to ${call.destination}`}>
            Hang up
          </Button>
        </div>
      )}
    </li>
  );
}

function factsOf(call: LiveCall, now: number): string[] {
  const seconds = call.answered_at === null ? null : Math.max(0, Math.floor((now - Date.parse(call.answered_at)) / 1000));
  const moreMicros = seconds === null ? 0n : chargeAfter(call, seconds) - fromDecimalString(call.charge);
  const add = (amount: string, micros: bigint) => toDecimalString(fromDecimalString(amount) + micros);
  return [
    call.country_code,
    ...(seconds === null ? [] : [`talks ${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`]),
    `$${call.rate_per_minute} a minute`,
    `so far $${add(call.charge, moreMicros)}`,
    `left $${add(call.credit_left, -moreMicros)}`,
    ...(call.margin === null ? [] : [`margin $${call.margin}`]),
    ...(call.trunk === null ? [] : [`trunk ${call.trunk}`]),
    ...(call.exchange === null ? [] : [`exchange ${call.exchange}`]),
    ...(call.mos === null ? [] : [`MOS ${call.mos.toFixed(1)}`]),
    ...(call.ending ? ["is being hung up"] : []),
  ];
}

/** What the call would be charged if it ended now; never less than the service has said. */
function chargeAfter(call: LiveCall, seconds: number): bigint {
  const steps = { firstIntervalSeconds: call.first_interval_s, nextIntervalSeconds: call.next_interval_s };
  const price = { ...steps, ratePerMinuteMicros: fromDecimalString(call.rate_per_minute) };
  const now = chargeFor(billedSeconds(seconds, price), price);
  const said = fromDecimalString(call.charge);
  return now > said ? now : said;
}

/** Chooses the called numbers by how they begin. */
export function PrefixForm({ prefix }: { readonly prefix: string }) {
  const [typed, setTyped] = useState(prefix);
  const navigate = useNavigate();
  return (
    <Card>
      <Form
        className={styles.search}
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          const wanted = typed.trim();
          void navigate(wanted === "" ? "/operator/live" : `/operator/live?${new URLSearchParams({ prefix: wanted })}`);
        }}
      >
        <Field
          label="Numbers that begin with"
          hint="For example +44 or +8821. Leave it empty for all calls."
          inputMode="tel"
          autoComplete="off"
          value={typed}
          onValue={setTyped}
        />
        <Button type="submit">Show</Button>
      </Form>
    </Card>
  );
}

/** What is hung up: one call, or all of a customer or to a prefix. */
type Ending =
  | { readonly call: LiveCall }
  | { readonly call?: undefined; readonly customer?: string; readonly prefix?: string; readonly calls: number };

interface HangUpFormProps {
  readonly ending: Ending;
  readonly onClose: () => void;
}

function HangUpForm({ ending, onClose }: HangUpFormProps) {
  const { title, text, which } = wordsOf(ending);
  return (
    <OperationForm
      operation="hang-up"
      subject={null}
      title={title}
      text={`${text} Talk time so far is charged.`}
      input={hangUpInput(which)}
      onClose={onClose}
    />
  );
}

function wordsOf(ending: Ending) {
  if (ending.call !== undefined) {
    const { id, email, destination } = ending.call;
    return {
      title: "Hang up this call",
      text: `The call of ${email} to ${destination} ends within seconds.`,
      which: { call: id },
    };
  }
  const { calls, customer, prefix } = ending;
  if (customer !== undefined)
    return {
      title: "Hang up all their calls",
      text: `All live calls of this customer (${calls}) end within seconds.`,
      which: { customer },
    };
  const text = `All live calls to numbers that begin with ${prefix} (${calls}) end within seconds, whoever makes them.`;
  return { title: `Hang up all calls to ${prefix}`, text, which: { prefix: prefix ?? "" } };
}

interface SettleLostFormProps {
  readonly exchanges: readonly string[];
  readonly onClose: () => void;
}

/** Ends what an exchange that is gone has left open, so that its callers can call again. */
function SettleLostForm({ exchanges, onClose }: SettleLostFormProps) {
  const [exchange, setExchange] = useState(exchanges[0] ?? "");
  return (
    <OperationForm
      operation="settle-lost-exchange"
      subject={exchange}
      text="Each of its calls ends at its last proof of life, and nothing after that is charged. It is refused while the exchange answers."
      action="Settle"
      onClose={onClose}
    >
      <SelectField
        label="Exchange"
        options={exchanges.map((name) => [name, name] as const)}
        value={exchange}
        onChosen={setExchange}
      />
    </OperationForm>
  );
}
