import { countText } from "@farline/contract/operator/words/count-text.ts";
import { sumText, dollarText, isNothing, methodText } from "@farline/contract/operator/words/money-words.ts";
import type { OperatorCallResponse } from "@farline/contract/operator/calls.ts";
import type { OperatorCustomerResponse } from "@farline/contract/operator/customers.ts";
import { moveText, queueWords, timelineWords } from "@farline/contract/operator/words/timeline-words.ts";
import type { QueueItem } from "@farline/contract/operator/queue.ts";
import { soundText, spanWords } from "@farline/contract/operator/words/call-words.ts";
import { languageName, tierWords } from "@farline/contract/operator/words/words.ts";
import { fromDecimalString, toDecimalString } from "@farline/domain/money.ts";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, useParams } from "react-router";
import { showAnswerIn } from "../../service/show-answer.ts";
import { serviceNow } from "../../time/clock.ts";
import { classNames } from "../../ui/class-names.ts";
import { Button } from "../../ui/button.tsx";
import { Banner } from "../../ui/messages/banner.tsx";
import { consoleRequest } from "../console-request.ts";
import { FRAME } from "../shell/freshness.tsx";
import { Facts, Loaded, Loading, Pairs } from "../shell/figures.tsx";
import { CopyKey, dayOf, Numbers, Times, When } from "../shell/inline-parts.tsx";
import { CaseAnswer } from "./case-answer.tsx";
import { caseTitle, dueText, isLate, isSoon, proposalFacts } from "./queue-kinds.ts";
import * as styles from "./queue.module.css";

/** Entries of the customer's timeline that are shown beside a case. */
const TIMELINE_ENTRIES = 8;
/** The service forgets that a case is open after two minutes without this. */
const SAY_OPEN_EVERY_MS = 30_000;
/** Where the list and a case stand side by side, so that the first case is open without a press. */
const SIDE_BY_SIDE = "(min-width: 64rem)";

interface CasePaneProps {
  readonly item: QueueItem;
  readonly hasNext: boolean;
  readonly onNext: () => void;
  readonly onDone: (message: string | null) => void;
}

/** One case: what the customer wrote, what our records say, what happened, how it is answered; and beside it who the customer is. */
export function CasePane({ item, ...moves }: CasePaneProps) {
  const { customer, facts } = item;
  const call = useQuery({
    queryKey: ["call", facts.call],
    queryFn: () => consoleRequest("GET /api/operator/calls/:id", { params: { id: facts.call ?? "" } }),
    enabled: facts.call !== undefined,
  });
  return (
    <>
      <article className={styles.openCase} aria-labelledby="case-title">
        <Holder item={item} />
        <CaseHead item={item} />
        {item.approval !== null && <Proposal item={item} />}
        {facts.call !== undefined && (
          <Loaded of={call} failure="The call could not be loaded">
            {(data) => <CallEvidence of={data} />}
          </Loaded>
        )}
        <PaymentFacts item={item} />
        {customer !== null && <Happened customer={customer.id} about={facts.call ?? facts.payment ?? item.id} />}
      </article>
      <CaseAnswer item={item} {...moves} />
      {customer !== null && <Who item={item} call={call.data} />}
    </>
  );
}

/** Says to the others that this operator has the case open, and to this one who had it first; they agree who answers. */
function Holder({ item: { kind, id } }: { readonly item: QueueItem }) {
  const client = useQueryClient();
  const isChosen = useParams()["id"] !== undefined;
  const key = ["case-open", kind, id];
  const say = (takesOver: boolean, unattended = false) =>
    consoleRequest("POST /api/operator/queue/open", { body: { kind, id, take_over: takesOver }, unattended });
  const opened = useQuery({
    queryKey: key,
    queryFn: () => say(false, client.getQueryData(key) !== undefined),
    enabled: isChosen || window.matchMedia(SIDE_BY_SIDE).matches,
    refetchInterval: SAY_OPEN_EVERY_MS,
    gcTime: 0,
    meta: FRAME,
  });
  const takeOver = useMutation({ mutationFn: () => say(true), onSuccess: (answer) => showAnswerIn(client, key, answer) });
  const holder = opened.data?.held_by ?? null;
  if (holder === null) return null;
  return (
    <Banner kind="warn">
      <p>
        <span>{`${holder.name} has had this case open since `}</span>
        <When at={holder.since} show="short" />
        <span>{`, and may be answering it.${takeOver.isError ? " It could not be taken over." : ""}`}</span>
      </p>
      <Button size="sm" busy={takeOver.isPending} onClick={() => takeOver.mutate()}>
        Take it over
      </Button>
    </Banner>
  );
}

function CaseHead({ item }: { readonly item: QueueItem }) {
  const { kind, id, due_at: due, since, text, customer, approval } = item;
  const now = new Date(serviceNow());
  const { note } = queueWords(item);
  const isWritten = kind === "question" || kind === "refund_request";
  const language = customer === null ? undefined : customer.language;
  return (
    <>
      <header>
        <h2 id="case-title">{caseTitle(item)}</h2>
        <p className="muted">
          <span>{note === "" || approval !== null ? "" : `${capital(note)}. `}</span>
          <span className={classNames((isLate(due, now) || isSoon(due, now)) && styles.warn)}>
            <Times text={`${capital(dueText(due, now))}, at ${due}.`} />
          </span>
        </p>
      </header>
      {text !== "" && isWritten && (
        <blockquote lang={language} dir="auto">
          {text}
        </blockquote>
      )}
      {text !== "" && !isWritten && (
        <p className={styles.says}>{approval === null ? text : `${approval.proposed_by.name}: ${text}`}</p>
      )}
      <p className="small muted">
        <span>{kind === "question" ? `Case ${id}, written in ${languageName(language ?? "")} on ` : "Since "}</span>
        <When at={since} />
        <CopyKey of={id} what={kind === "question" ? "case number" : "id"} />
      </p>
    </>
  );
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function Proposal({ item: { approval } }: { readonly item: QueueItem }) {
  if (approval === null) return null;
  const facts = proposalFacts(approval).map(({ name, text, at }) => [name, at ?? text] as const);
  return (
    <>
      {facts.length > 0 && (
        <section aria-label="What would be done" className={styles.facts}>
          <Facts of={Object.fromEntries(facts)} />
        </section>
      )}
      {approval.can.includes("withdraw") && <p className="muted">You proposed this, so another operator must confirm it.</p>}
      {approval.cannot !== null && !approval.can.includes("withdraw") && <p className="muted">{approval.cannot}</p>}
    </>
  );
}

/** What was heard and charged, for a case about a call. */
function CallEvidence({ of: { call, quality, postings } }: { readonly of: OperatorCallResponse }) {
  const { from_caller: caller, from_called: called } = quality;
  const charged = isNothing(call.charge) ? "Nothing" : dollarText(call.charge);
  return (
    <>
      <h3>{`Our records: ${conclusion(caller?.packets, called?.packets, call.answered_at)}`}</h3>
      <dl className={styles.evidence}>
        <Side name="From the caller" heard={caller} />
        <Side name="From the called person" heard={called} />
        <div>
          <dt>Charged</dt>
          <dd>{charged}</dd>
          <dd>{chargedFor(call)}</dd>
          {postings.some(({ kind }) => kind === "call_refund") && <dd>Refunded already</dd>}
        </div>
      </dl>
    </>
  );
}

function chargedFor({ billed_seconds: billed, duration_ms: ms }: OperatorCallResponse["call"]): string {
  if (billed === 0) return "The call was not answered";
  return `${spanWords(billed)}, as the customer reads it; measured ${(ms / 1000).toFixed(1)} s`;
}

function Side({ name, heard }: { readonly name: string; readonly heard: OperatorCallResponse["quality"]["from_caller"] }) {
  const isSilent = heard?.packets === 0;
  return (
    <div>
      <dt>{name}</dt>
      <dd className={classNames(isSilent && styles.bad)}>
        {heard === null
          ? "Not reported"
          : isSilent
            ? "No sound at all"
            : heard.mos === null
              ? "Sound came"
              : soundText(heard.mos)}
      </dd>
      <dd>{heard === null ? "The exchange counted nothing" : `${countText(heard.packets, "packet")} came`}</dd>
    </div>
  );
}

function conclusion(caller: number | undefined, called: number | undefined, answeredAt: string | null): string {
  if (answeredAt === null) return "the call was not answered";
  if (caller === 0 && called === 0) return "there was no sound at all";
  if (caller === 0) return "no sound came from the caller";
  if (called === 0) return "no sound came from the called person";
  if (caller === undefined || called === undefined) return "the exchange did not report both sides";
  return "sound came from both sides";
}

/** What is known of a payment, or of a frozen account. */
function PaymentFacts({ item: { facts } }: { readonly item: QueueItem }) {
  const known = {
    "Paid with": facts.method === undefined || facts.method === "" ? null : methodText(facts.method),
    "Confirmed by the card's owner": facts.authenticated === undefined ? null : facts.authenticated ? "Yes" : "No",
    "Paid on": facts.paid_at ?? null,
    Debt: facts.debt === undefined ? null : dollarText(facts.debt),
    "Held for calls": facts.held === undefined ? null : dollarText(facts.held),
  };
  if (Object.values(known).every((value) => value === null)) return null;
  return (
    <>
      <h3>Our records</h3>
      <div className={styles.facts}>
        <Facts of={known} />
      </div>
    </>
  );
}

interface HappenedProps {
  readonly customer: string;
  /** The id of what the case is about, whose entry is marked. */
  readonly about: string;
}

function Happened({ customer, about }: HappenedProps) {
  const timeline = useQuery({
    queryKey: ["timeline-beside", customer],
    queryFn: () =>
      consoleRequest("GET /api/operator/customers/:id/timeline", {
        params: { id: customer },
        query: { limit: TIMELINE_ENTRIES },
      }),
  });
  return (
    <>
      <h3>What happened last</h3>
      <Loaded of={timeline} failure="The timeline could not be loaded">
        {({ entries }) => (
          <ol className={styles.happened} aria-label="What happened last">
            {entries.toReversed().map((entry) => {
              const { title, note } = timelineWords(entry);
              return (
                <li key={`${entry.type} ${entry.id}`} className={classNames(entry.id === about && styles.hot)}>
                  <When at={entry.at} show="short" />
                  <span>
                    <span>
                      <Numbers text={title} />
                    </span>
                    {note !== "" && <span className="muted">{` ${note}`}</span>}
                  </span>
                  <bdi dir="ltr" className="fig">
                    {moveText(entry)}
                  </bdi>
                </li>
              );
            })}
          </ol>
        )}
      </Loaded>
    </>
  );
}

function costText(call: OperatorCallResponse | undefined): string | null {
  return call === undefined || call.cost === null ? null : dollarText(call.cost);
}

interface WhoProps {
  readonly item: QueueItem;
  readonly call: OperatorCallResponse | undefined;
}

/** The customer, and what the answer would change. */
function Who({ item, call }: WhoProps) {
  const id = item.customer?.id ?? "";
  const customer = useQuery({
    queryKey: ["customer", id],
    queryFn: () => consoleRequest("GET /api/operator/customers/:id", { params: { id } }),
  });
  return (
    <aside className={styles.who} aria-label="Customer">
      <p className={styles.name}>{item.customer?.name}</p>
      <p className="small muted">
        <span>{item.customer?.email}</span>
        <CopyKey of={item.customer?.email ?? ""} what="email address" />
        <br />
        <span>{`Reads ${languageName(item.customer?.language ?? "")}`}</span>
      </p>
      {customer.isPending && <Loading />}
      {customer.isError && <p className="small">The customer could not be loaded.</p>}
      {customer.data !== undefined && <WhoFacts of={customer.data} item={item} call={call} />}
      <p>
        <Link className="link" to={`/operator/customers/${id}`}>
          Open the customer
        </Link>
      </p>
      {item.facts.call !== undefined && (
        <p>
          <Link className="link" to={`/operator/calls/${item.facts.call}`}>
            Open the call
          </Link>
        </p>
      )}
    </aside>
  );
}

function WhoFacts({ of: { customer, money, counts, tier }, item, call }: WhoProps & { readonly of: OperatorCustomerResponse }) {
  const refund = item.kind === "refund_request" ? item.amount : null;
  return (
    <>
      {customer.status !== "active" && (
        <p className={styles.bad}>{customer.status === "frozen" ? "Frozen" : "The account closes"}</p>
      )}
      <p className={styles.balance}>
        <span>Balance</span>
        <b className="fig">{sumText(money.balance)}</b>
      </p>
      <h3>Customer</h3>
      <Pairs
        of={{
          Since: dayOf(customer.created_at),
          "Paid so far": isNothing(money.paid) ? "nothing" : dollarText(money.paid),
          Owes: isNothing(money.debt) ? null : dollarText(money.debt),
          "Refunds before":
            item.facts.refunds_before === undefined
              ? null
              : item.facts.refunds_before === 0
                ? "none"
                : String(item.facts.refunds_before),
          "Open disputes": counts.open_disputes === 0 ? "none" : String(counts.open_disputes),
          Trust: tierWords[tier.name],
        }}
      />
      {refund !== null && (
        <>
          <h3>If you refund</h3>
          <Pairs
            of={{
              "The customer gets": dollarText(refund),
              "Balance then": sumText(toDecimalString(fromDecimalString(money.balance) + fromDecimalString(refund))),
              "Our cost of the call": costText(call),
            }}
          />
        </>
      )}
    </>
  );
}
