import type { OperatorCallResponse } from "@farline/contract/operator/calls.ts";
import { noAttemptsText } from "@farline/contract/operator/constants.ts";
import {
  attemptWords,
  boundWords,
  callEventWords,
  decisionInputText,
  decisionInputWords,
  destinationWords,
  endWords,
  eventWords,
  holdWords,
  legWords,
  q850Text,
  sipText,
  soundRatingWords,
  soundText,
  sourceWords,
  spanWords,
} from "@farline/contract/operator/words/call-words.ts";
import { sumText, dollarText, isNothing, ledgerKindWords, movementText } from "@farline/contract/operator/words/money-words.ts";
import { wordFor } from "@farline/contract/operator/words/words.ts";
import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "react-router";
import { Card } from "../../ui/card.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { consoleRequest } from "../console-request.ts";
import * as styles from "../console.module.css";
import { Facts, Loaded, Pairs } from "../shell/figures.tsx";
import { CopyKey, Numbers, Times, When } from "../shell/inline-parts.tsx";
import { PageTitle } from "../shell/top-bar.tsx";

/** A call: how it ended, what was heard and charged, every event, the attempts by trunk, and what it was decided by. */
export function CallPage() {
  const { id = "" } = useParams();
  const found = useQuery({
    queryKey: ["call", id],
    queryFn: () => consoleRequest("GET /api/operator/calls/:id", { params: { id } }),
  });
  return (
    <>
      <PageTitle title="Call" />
      <Loaded of={found} failure="The call could not be loaded">
        {(data) => <Details of={data} />}
      </Loaded>
    </>
  );
}

function Details({ of }: { readonly of: OperatorCallResponse }) {
  const { ladder, events_archived_in: archived } = of;
  const noAttempts = noAttemptsText(of);
  return (
    <div className="stack">
      <Head of={of} />
      <Five of={of} />
      <div className={styles.beside}>
        <div className="stack">
          <Card className="stack">
            <h2 className="t-card">What happened</h2>
            {ladder.length === 0 && (
              <EmptyState title={archived === null ? "Nothing was reported yet" : `Archived in ${archived}`} />
            )}
            <Lines lines={ladderOf(of)} name="What happened" />
          </Card>
          <Card className="stack">
            <h2 className="t-card">Trunks</h2>
            {noAttempts !== null && <p>{noAttempts}</p>}
            <Lines lines={attemptsOf(of)} name="Trunks" />
          </Card>
          <Card className="stack">
            <h2 className="t-card">Money</h2>
            {of.postings.length === 0 && <p>Nothing was charged.</p>}
            <Lines lines={postingsOf(of)} name="Money" />
          </Card>
        </div>
        <div className="stack">
          <Card>
            <h2 className="t-card">Price and hold</h2>
            <Pairs of={priceOf(of)} />
          </Card>
          <Card>
            <h2 className="t-card">Why it was allowed</h2>
            <Pairs of={decisionOf(of)} />
          </Card>
          <Card>
            <h2 className="t-card">Sound</h2>
            <Facts of={soundOf(of)} />
          </Card>
          <Ids of={of} />
        </div>
      </div>
    </div>
  );
}

function Head({ of: { call } }: { readonly of: OperatorCallResponse }) {
  return (
    <header className={styles.profile}>
      <h2 className={styles.bigName}>
        <Numbers text={`Call to ${call.destination}`} />
      </h2>
      <p className={`muted ${styles.profileLine}`}>
        <span>{destinationWords(call.country_code, call.number_type)}</span>
        <span>
          <span>by </span>
          <Link className="link" to={`/operator/customers/${call.customer_id}`}>
            {call.email}
          </Link>
        </span>
        {call.payer_id !== null && (
          <Link className="link" to={`/operator/customers/${call.payer_id}`}>
            {`Paid by ${call.payer_email ?? ""}`}
          </Link>
        )}
        <span>
          <span>requested </span>
          <When at={call.created_at} />
        </span>
        <span>{call.caller_number === null ? "" : `shown as ${call.caller_number}`}</span>
        <span>
          <span>call id</span>
          <CopyKey of={call.id} what="call id" />
        </span>
      </p>
    </header>
  );
}

/** The seconds and the money as the customer reads them, with the measured ones beside them. */
function Five({ of: { call, trunk, attempts, cost, margin } }: { readonly of: OperatorCallResponse }) {
  const isAnswered = call.answered_at !== null;
  const delay = attempts.findLast(({ post_dial_delay_ms: ms }) => ms !== null)?.post_dial_delay_ms ?? null;
  return (
    <dl className={styles.five}>
      <div>
        <dt>Outcome</dt>
        <dd className={styles.wordy}>{endWords(call)}</dd>
        <dd>{call.ended_at === null ? "goes on" : <When at={call.ended_at} show="clock" />}</dd>
      </div>
      <div>
        <dt>Billed</dt>
        <dd>{isAnswered ? spanWords(call.billed_seconds) : "nothing"}</dd>
        <dd>
          {[
            isAnswered ? `measured ${(call.duration_ms / 1000).toFixed(1)} s` : "not answered",
            ...(call.silent_ms > 0 ? [`silent ${(call.silent_ms / 1000).toFixed(1)} s`] : []),
          ].join(", ")}
        </dd>
      </div>
      <div>
        <dt>Charged</dt>
        <dd>{isNothing(call.charge) ? "nothing" : dollarText(call.charge)}</dd>
        <dd>{call.payer_id === null ? "from the caller's credit" : "from the family owner's credit"}</dd>
      </div>
      {cost !== null && (
        <div>
          <dt>Cost</dt>
          <dd>{dollarText(cost)}</dd>
          <dd>{margin === null ? "margin not known yet" : `margin ${dollarText(margin)}`}</dd>
        </div>
      )}
      <div>
        <dt>Trunk</dt>
        <dd className={styles.wordy}>{trunk ?? "none"}</dd>
        <dd>{delay === null ? "no post-dial delay reported" : `post-dial delay ${(delay / 1000).toFixed(1)} s`}</dd>
      </div>
    </dl>
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
            <When at={at} className="small" />
          </div>
          <div className={styles.facts}>
            {facts.map((fact) => (
              <span key={fact}>
                <Times text={fact} />
              </span>
            ))}
          </div>
        </li>
      ))}
    </ul>
  );
}

function ladderOf({ ladder }: OperatorCallResponse): Line[] {
  return ladder.map(({ at, received_at: receivedAt, source, kind, leg, detail }) => ({
    title: leg === null ? callEventWords[kind] : `${callEventWords[kind]}, ${legWords[leg]}`,
    at,
    facts: [
      ...eventWords(detail).map(({ name, text, at: time }) => `${name} ${time ?? text}`),
      `${sourceWords[source]}, received ${Date.parse(receivedAt) - Date.parse(at)} ms later`,
    ],
  }));
}

function attemptsOf({ attempts }: OperatorCallResponse): Line[] {
  return attempts.map(
    ({ trunk, started_at: at, duration_ms: ms, post_dial_delay_ms: delay, sip_status: status, q850_cause: cause, outcome }) => ({
      title: `${trunk}: ${attemptWords[outcome]}`,
      at,
      facts: [
        `known after ${ms} ms`,
        ...(delay === null ? [] : [`post-dial delay ${delay} ms`]),
        sipText(status),
        ...(cause === null ? [] : [q850Text(cause)]),
      ],
    }),
  );
}

function postingsOf({ postings }: OperatorCallResponse): Line[] {
  return postings.map(({ created_at: at, kind, amount, balance_after: after }) => ({
    title: `${wordFor(ledgerKindWords, kind)} ${movementText(amount)}`,
    at,
    facts: [`balance then ${sumText(after)}`],
  }));
}

function priceOf({ price, hold }: OperatorCallResponse) {
  return {
    Price: `$${price.rate_per_minute} a minute`,
    Steps: `${price.first_interval_s} s, then ${price.next_interval_s} s`,
    Prefix: `${price.prefix}, ${price.description}`,
    "Price class": price.price_class,
    Hold: hold === null ? null : `${dollarText(hold.amount)}, ${holdWords[hold.state].toLowerCase()}`,
  };
}

function decisionOf({ decision }: OperatorCallResponse): Record<string, string | null> {
  const inputs = Object.entries(decision.inputs ?? {}).map(([name, value]) => [
    wordFor(decisionInputWords, name),
    value === null ? null : decisionInputText(name, value),
  ]);
  return {
    "Allowed credit": dollarText(decision.held),
    "Set by": boundWords[decision.bounded_by],
    "Longest call": spanWords(decision.cap_seconds),
    ...(Object.fromEntries(inputs) as Record<string, string | null>),
  };
}

function soundOf({ quality }: OperatorCallResponse) {
  const heard = (side: typeof quality.from_caller) =>
    side &&
    (side.packets === 0
      ? "No sound at all"
      : `${side.mos === null ? "Sound came" : soundText(side.mos)}, ${side.packets.toLocaleString("en")} packets`);
  const worst = quality.samples.toSorted((a, b) => a.mos - b.mos)[0];
  return {
    "From the caller": heard(quality.from_caller) ?? "Not reported",
    "From the called person": heard(quality.from_called) ?? "Not reported",
    "Rated by the caller": quality.rating === null ? "Not rated" : wordFor(soundRatingWords, quality.rating),
    "Worst in the browser":
      worst === undefined
        ? null
        : `${soundText(worst.mos)} after ${spanWords(worst.t)}, ${worst.lossPct.toFixed(1)} % lost, jitter ${worst.jitterMs.toFixed(0)} ms`,
  };
}

/** Ids for logs and for the provider's support. */
function Ids({ of: { legs, session_id: session } }: { readonly of: OperatorCallResponse }) {
  if (legs.length === 0 && session === null) return null;
  return (
    <Card>
      <h2 className="t-card">Ids to copy</h2>
      <ul className={styles.ids}>
        {legs.map(({ leg, control_id: controlId }) => (
          <li key={leg}>
            <span>{legWords[leg]}</span>
            <CopyKey of={controlId} what={`id of the ${legWords[leg]}`} />
          </li>
        ))}
        {session !== null && (
          <li>
            <span>session at the voice provider</span>
            <CopyKey of={session} what="id of the session" />
          </li>
        )}
      </ul>
    </Card>
  );
}
