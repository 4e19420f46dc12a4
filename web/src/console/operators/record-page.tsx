import type { OperationResponse } from "@farline/contract/operator/people.ts";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useSearchParams } from "react-router";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { ShowMore } from "../../ui/waiting/loaded.tsx";
import { consoleRequest } from "../console-request.ts";
import * as styles from "../console.module.css";
import { Loaded } from "../shell/figures.tsx";
import { detailText, timeText } from "../shell/texts.ts";
import { PageTitle } from "../shell/top-bar.tsx";

const FILTERS = ["operator", "customer", "action"] as const;

/** What operators did, newest first. Names, customers and actions filter it; the address keeps the filters. */
export function RecordPage() {
  const [address, setAddress] = useSearchParams();
  const filters = Object.fromEntries(FILTERS.flatMap((name) => [[name, address.get(name) ?? undefined]]));
  const record = useInfiniteQuery({
    queryKey: ["record", filters],
    queryFn: ({ pageParam }) => consoleRequest("GET /api/operator/record", { query: { ...filters, cursor: pageParam } }),
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
  const found = record.data?.pages.flatMap(({ operations }) => operations) ?? [];
  const active = FILTERS.filter((name) => address.has(name));
  return (
    <>
      <div className="spread head">
        <PageTitle title="Record of operations" />
        {active.map((name) => (
          <Button key={name} size="sm" onClick={() => show(name, null)}>
            {`All ${name}s`}
          </Button>
        ))}
      </div>
      <Card>
        <Loaded of={record} failure="The record could not be loaded">
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
        <ShowMore of={record} />
      </Card>
    </>
  );
}

interface OperationRowProps {
  readonly operation: OperationResponse;
  readonly onFilter: (name: (typeof FILTERS)[number], value: string) => void;
}

function OperationRow({ operation, onFilter }: OperationRowProps) {
  const { at, operator, action, customer_id: customer, subject, reason, detail } = operation;
  return (
    <li className={styles.row}>
      <div className={styles.head}>
        <button type="button" className="link" onClick={() => onFilter("action", action)}>
          {action}
        </button>
        <time className="small fig" dateTime={at}>
          {timeText(at)}
        </time>
      </div>
      <p>{reason}</p>
      <div className={styles.facts}>
        <button type="button" className="link" onClick={() => onFilter("operator", operator.id)}>
          {`by ${operator.name}`}
        </button>
        {customer !== null && (
          <button type="button" className="link" onClick={() => onFilter("customer", customer)}>
            {`customer ${customer}`}
          </button>
        )}
        {subject !== null && <span>{`about ${subject}`}</span>}
        {detailText(detail).map((text) => (
          <span key={text}>{text}</span>
        ))}
      </div>
    </li>
  );
}
