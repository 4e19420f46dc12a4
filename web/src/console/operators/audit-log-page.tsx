import type { OperationResponse } from "@farline/contract/operator/people.ts";
import { actionWords, detailWords, subjectWords } from "@farline/contract/operator/words/audit-words.ts";
import { useInfiniteQuery } from "@tanstack/react-query";
import { Link, useSearchParams } from "react-router";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { ShowMore } from "../../ui/waiting/loaded.tsx";
import { consoleRequest } from "../console-request.ts";
import * as styles from "../console.module.css";
import { Loaded } from "../shell/figures.tsx";
import { CopyKey, Times, When } from "../shell/inline-parts.tsx";
import { PageTitle } from "../shell/top-bar.tsx";

const FILTERS = ["operator", "customer", "action"] as const;

/** What operators did, newest first. Names, customers and actions filter it; the address keeps the filters. */
export function AuditLogPage() {
  const [address, setAddress] = useSearchParams();
  const filters = Object.fromEntries(FILTERS.flatMap((name) => [[name, address.get(name) ?? undefined]]));
  const entries = useInfiniteQuery({
    queryKey: ["audit-log", filters],
    queryFn: ({ pageParam }) => consoleRequest("GET /api/operator/audit-log", { query: { ...filters, cursor: pageParam } }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next_cursor: next }) => next ?? undefined,
  });
  const show = (name: (typeof FILTERS)[number], value: string | null) =>
    setAddress((before) => {
      const next = new URLSearchParams(before);
      if (value === null) next.delete(name);
      else next.set(name, value);
      return next;
    });
  const found = entries.data?.pages.flatMap(({ operations }) => operations) ?? [];
  const active = FILTERS.filter((name) => address.has(name));
  return (
    <>
      <div className="spread head">
        <PageTitle title="Audit log" />
        {active.map((name) => (
          <Button key={name} size="sm" onClick={() => show(name, null)}>
            {`All ${name}s`}
          </Button>
        ))}
      </div>
      <Card>
        <Loaded of={entries} failure="The audit log could not be loaded">
          {() => (
            <>
              {found.length === 0 && <EmptyState title="Nothing is recorded here" />}
              <ul className={styles.rows}>
                {found.map((operation) => (
                  <OperationRow key={operation.id} operation={operation} onFilter={show} />
                ))}
              </ul>
            </>
          )}
        </Loaded>
        <ShowMore of={entries} />
      </Card>
    </>
  );
}

interface OperationRowProps {
  readonly operation: OperationResponse;
  readonly onFilter: (name: (typeof FILTERS)[number], value: string) => void;
}

/** Who did what to whom, why, and what it was before and after. */
function OperationRow({ operation, onFilter }: OperationRowProps) {
  const { id, at, operator, action, customer, subject, reason, detail } = operation;
  const about = subjectWords(action, subject);
  return (
    <li className={styles.row}>
      <div className={styles.head}>
        <span>
          <button type="button" className="link" onClick={() => onFilter("operator", operator.id)}>
            {`by ${operator.name}`}
          </button>
          <span>: </span>
          <button type="button" className="link" onClick={() => onFilter("action", action)}>
            {actionWords(action)}
          </button>
          {about !== null && <span>{` ${about}`}</span>}
        </span>
        <When at={at} className="small" />
      </div>
      <p>{reason}</p>
      <div className={styles.facts}>
        {customer !== null && (
          <span>
            <Link className="link" to={`/operator/customers/${customer.id}`}>
              {customer.email}
            </Link>{" "}
            <button type="button" className="link" onClick={() => onFilter("customer", customer.id)}>
              only this customer
            </button>
          </span>
        )}
        {changes(detail).map((text) => (
          <span key={text}>
            <Times text={text} />
          </span>
        ))}
        {subject !== null && about === null && (
          <span>
            <span>id of what it was about</span>
            <CopyKey of={subject} what="id" />
          </span>
        )}
        <span>
          <span>entry</span>
          <CopyKey of={id} what="id of the entry" />
        </span>
      </div>
    </li>
  );
}

/** "was 5.00, now 8.00" is one change; other details follow. */
function changes(detail: OperationResponse["detail"]): string[] {
  const written = detailWords(detail).map(({ name, text, at }) => [name, at ?? text] as const);
  const before = written.find(([name]) => name === "was")?.[1];
  const after = written.find(([name]) => name === "now")?.[1];
  const others = written.filter(([name]) => name !== "was" && name !== "now");
  const change = after === undefined ? [] : [before === undefined ? `now ${after}` : `${before} → ${after}`];
  return [...change, ...others.map(([name, text]) => `${name} ${text}`)];
}
