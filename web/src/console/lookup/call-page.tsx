import type { OperatorCallResponse } from "@farline/contract/operator/calls.ts";
import { noAttemptsText } from "@farline/contract/operator/constants.ts";
import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "react-router";
import { Card } from "../../ui/card.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { consoleRequest } from "../console-request.ts";
import * as styles from "../console.module.css";
import { Facts, Loaded } from "../shell/figures.tsx";
import { timeText, usePageTitle } from "../shell/texts.ts";

/** A call: what was decided and why, every event, the attempts by trunk, the money and the sound. */
export function CallPage() {
  const { id = "" } = useParams();
  const found = useQuery({
    queryKey: ["call", id],
    queryFn: () => consoleRequest("GET /api/operator/calls/:id", { params: { id } }),
  });
  usePageTitle("Call");
  return (
    <Loaded of={found} failure="The call could not be loaded">
      {(data) => <Details of={data} />}
    </Loaded>
  );
}

function Details({ of }: { readonly of: OperatorCallResponse }) {
  const { call, ladder, events_archived_in: archived } = of;
  const noAttempts = noAttemptsText(of);
  return (
    <div className="stack">
      <div className="spread head">
        <h1 className="t-page">{`Call to ${call.destination}`}</h1>
        <p className="row">
          <Link className="link" to={`/operator/customers/${call.customer_id}`}>
            {call.email}
          </Link>
          {call.payer_id !== null && (
            <Link className="link" to={`/operator/customers/${call.payer_id}`}>
              {`Paid by ${call.payer_email ?? ""}`}
            </Link>
          )}
        </p>
      </div>
      <Card className="stack">
        <Facts of={headOf(of)} />
      </Card>
      <Card className="stack">
        <h2 className="t-card">Decision</h2>
        <Facts of={decisionOf(of)} />
      </Card>
      <Card className="stack">
        <h2 className="t-card">Events</h2>
        {ladder.length === 0 && <EmptyState title={archived === null ? "Nothing was reported yet" : `Archived in ${archived}`} />}
        <Lines lines={ladderOf(of)} name="Events" />
      </Card>
      <Card className="stack">
        <h2 className="t-card">Trunks and money</h2>
        {noAttempts !== null && <p>{noAttempts}</p>}
        <Lines lines={[...attemptsOf(of), ...postingsOf(of)]} name="Trunks and money" />
        <Facts of={soundOf(of)} />
      </Card>
    </div>
  );
}

interface Line {
  readonly title: string;
  readonly at: string;
  readonly facts: readonly string[];
}

function Lines({ lines, name }: { readonly lines: readonly Line[]; readonly name: string }) {
  return (
    <ul className={styles.rows} aria-label={name}>
      {lines.map(({ title, at, facts }, index) => (
        <li key={index} className={styles.row}>
          <div className={styles.head}>
            <span className={styles.title}>{title}</span>
            <time className="small fig" dateTime={at}>
              {timeText(at)}
            </time>
          </div>
          <div className={styles.facts}>
            {facts.map((fact) => (
              <span key={fact}>{fact}</span>
            ))}
          </div>
        </li>
      ))}
    </ul>
  );
}

function headOf({ call, price, trunk, cost, margin, hold, legs }: OperatorCallResponse) {
  const time = (at: string | null) => (at === null ? null : timeText(at));
  return {
    Status: [call.status, call.end_reason, call.hung_up_by && `by ${call.hung_up_by}`].filter((part) => part !== null).join(", "),
    Requested: timeText(call.created_at),
    Answered: time(call.answered_at),
    Ended: time(call.ended_at),
    Lasted: `${(call.duration_ms / 1000).toFixed(1)} s, charged ${call.billed_seconds} s`,
    Charge: `$${call.charge}`,
    Cost: cost === null ? null : `$${cost}`,
    Margin: margin === null ? null : `$${margin}`,
    Price: `$${price.rate_per_minute} a minute, ${price.first_interval_s}/${price.next_interval_s} s`,
    Prefix: `${price.prefix}, ${price.description}, class ${price.price_class}`,
    Hold: hold === null ? null : `${hold.state}, $${hold.amount}`,
    Shown: call.caller_number,
    Trunk: trunk,
    Legs: legs.map(({ leg, control_id: controlId }) => `${leg} ${controlId}`).join(", ") || null,
    Id: call.id,
  };
}

function decisionOf({ decision }: OperatorCallResponse): Record<string, string | null> {
  const inputs = Object.entries(decision.inputs ?? {}).map(([name, value]) => [
    name.replaceAll("_", " "),
    value === null ? null : String(value),
  ]);
  return {
    Held: `$${decision.held}`,
    "Bounded by": decision.bounded_by.replaceAll("_", " "),
    "Longest call": `${decision.cap_seconds} s`,
    ...(Object.fromEntries(inputs) as Record<string, string | null>),
  };
}

function ladderOf({ ladder }: OperatorCallResponse): Line[] {
  return ladder.map(({ at, received_at: receivedAt, source, kind, leg, detail }) => ({
    title: leg === null ? kind.replaceAll("_", " ") : `${kind.replaceAll("_", " ")}, ${leg} leg`,
    at,
    facts: [source, `received ${Date.parse(receivedAt) - Date.parse(at)} ms later`, detail].filter((fact) => fact !== ""),
  }));
}

function attemptsOf({ attempts }: OperatorCallResponse): Line[] {
  return attempts.map(
    ({ trunk, started_at: at, duration_ms: ms, post_dial_delay_ms: delay, sip_status: status, q850_cause: cause, outcome }) => ({
      title: `${trunk}: ${outcome}`,
      at,
      facts: [
        `after ${ms} ms`,
        ...(delay === null ? [] : [`post-dial delay ${delay} ms`]),
        status === null ? "no response" : `SIP ${status}`,
        ...(cause === null ? [] : [`Q.850 ${cause}`]),
      ],
    }),
  );
}

function postingsOf({ postings }: OperatorCallResponse): Line[] {
  return postings.map(({ created_at: at, kind, amount, balance_after: after }) => ({
    title: `${kind.replaceAll("_", " ")} ${amount.replace(/^-?/, "$&$")}`,
    at,
    facts: [`then $${after}`],
  }));
}

function soundOf({ quality }: OperatorCallResponse) {
  const heard = (side: typeof quality.from_caller) => side && `${side.packets} packets, MOS ${side.mos ?? "unknown"}`;
  const worst = quality.samples.toSorted((a, b) => a.mos - b.mos)[0];
  return {
    "Heard from the caller": heard(quality.from_caller),
    "Heard from the called": heard(quality.from_called),
    "Worst in the browser":
      worst === undefined
        ? null
        : `MOS ${worst.mos.toFixed(1)} after ${worst.t} s, loss ${worst.lossPct} %, jitter ${worst.jitterMs} ms`,
  };
}
