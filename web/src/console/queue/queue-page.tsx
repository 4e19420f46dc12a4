import { queueKinds } from "@farline/contract/constants.ts";
import type { QueueOrder } from "@farline/contract/operator/queue.ts";
import { useInfiniteQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useSearchParams } from "react-router";
import * as styles from "../console.module.css";
import { Card } from "../../ui/card.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { Banner } from "../../ui/messages/banner.tsx";
import { ShowMore } from "../../ui/waiting/loaded.tsx";
import { consoleRequest } from "../console-request.ts";
import { SelectField } from "../shell/fields.tsx";
import { Loaded } from "../shell/figures.tsx";
import { usePageTitle } from "../shell/texts.ts";
import { ProposalRow } from "./proposal-row.tsx";
import { queueKindNames, useQueueCounts } from "./queue-kinds.ts";
import { AnswerForm, type Answering, QueueRow } from "./queue-row.tsx";

const ORDERS: Readonly<Record<QueueOrder, string>> = { due: "What is due first", money: "The most money first" };

/** What waits for an operator, each answered in place. The address keeps the filter. */
export function QueuePage() {
  usePageTitle("Queue");
  const client = useQueryClient();
  const [address, setAddress] = useSearchParams();
  const [answering, setAnswering] = useState<Answering | null>(null);
  const [notice, setNotice] = useState<string | null>(null);
  const kind = queueKinds.find((one) => one === address.get("kind"));
  const order: QueueOrder = address.get("order") === "money" ? "money" : "due";
  const counts = useQueueCounts();
  const queue = useInfiniteQuery({
    queryKey: ["queue", kind, order],
    queryFn: ({ pageParam }) => consoleRequest("GET /api/operator/queue", { query: { kind, order, cursor: pageParam } }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next_cursor: next }) => next ?? undefined,
  });
  const choose = (name: "kind" | "order", value: string) =>
    setAddress((before) => {
      const next = new URLSearchParams(before);
      if (value === "") next.delete(name);
      else next.set(name, value);
      return next;
    });
  const items = queue.data?.pages.flatMap((page) => page.items) ?? [];
  const answer = (next: Answering) => {
    setNotice(null);
    setAnswering(next);
  };
  const refetch = () => void client.invalidateQueries();
  return (
    <>
      <h1 className="t-page head">Queue</h1>
      <div className={styles.filters}>
        <SelectField
          label="Show"
          value={kind ?? ""}
          options={[
            ["", "Everything"],
            ...counts.map((one) => [one.kind, `${queueKindNames[one.kind]} (${one.waiting})`] as const),
          ]}
          onChosen={(value) => choose("kind", value)}
        />
        <SelectField
          label="Order"
          value={order}
          options={Object.entries(ORDERS)}
          onChosen={(value) => choose("order", value === "due" ? "" : value)}
        />
      </div>
      {notice !== null && <Banner kind="info">{notice}</Banner>}
      <Card>
        <Loaded of={queue} failure="The queue could not be loaded">
          {() => (
            <>
              {items.length === 0 && (
                <EmptyState
                  title="Nothing waits"
                  text="Questions, refund requests, proposals, frozen accounts, disputes and refunds that wait appear here."
                />
              )}
              <ul className={styles.rows} aria-label="Queue">
                {items.map((item) =>
                  item.approval === null ? (
                    <QueueRow
                      key={`${item.kind} ${item.id}`}
                      item={item}
                      readAt={new Date(queue.dataUpdatedAt)}
                      onAnswer={answer}
                    />
                  ) : (
                    <ProposalRow key={`${item.kind} ${item.id}`} approval={item.approval} />
                  ),
                )}
              </ul>
            </>
          )}
        </Loaded>
        <ShowMore of={queue} />
      </Card>
      {answering !== null && (
        <AnswerForm
          answering={answering}
          onClose={() => setAnswering(null)}
          onOutdated={(message) => {
            setNotice(message);
            refetch();
          }}
        />
      )}
    </>
  );
}
