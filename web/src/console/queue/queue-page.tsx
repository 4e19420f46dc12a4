import { queueKinds } from "@farline/contract/constants.ts";
import { queueWords } from "@farline/contract/operator/words/timeline-words.ts";
import { queueKindWords } from "@farline/contract/operator/words/words.ts";
import type { QueueItem, QueueOrder } from "@farline/contract/operator/queue.ts";
import { keepPreviousData, useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { Link, useNavigate, useParams, useSearchParams } from "react-router";
import { classNames } from "../../ui/class-names.ts";
import { EmptyState } from "../../ui/empty-state.tsx";
import { Banner } from "../../ui/messages/banner.tsx";
import { ShowMore } from "../../ui/waiting/loaded.tsx";
import { consoleRequest } from "../console-request.ts";
import { useKeys } from "../lookup/use-search-key.ts";
import { Loaded, Loading } from "../shell/figures.tsx";
import { utcText } from "../shell/texts.ts";
import { PageTitle } from "../shell/top-bar.tsx";
import { CasePane } from "./case-pane.tsx";
import { amountText, caseAddress, dueText, isLate, isSoon, useQueueCounts, whoWaits } from "./queue-kinds.ts";
import * as consoleStyles from "../console.module.css";
import * as styles from "./queue.module.css";

const ORDERS: readonly (readonly [name: string, order: QueueOrder, address: string])[] = [
  ["Due first", "due", ""],
  ["Most money first", "money", "money"],
];

/**
 * What waits for an operator: the list, and one case with the customer's timeline beside it. The address keeps the filter and the case. Where
 * it is narrow, each is a page of its own.
 */
export function QueuePage() {
  const { kind: openKind, id: openId } = useParams();
  const [address] = useSearchParams();
  const navigate = useNavigate();
  const [notice, setNotice] = useState<string | null>(null);
  const kind = queueKinds.find((one) => one === address.get("kind"));
  const order: QueueOrder = address.get("order") === "money" ? "money" : "due";
  const queue = useInfiniteQuery({
    queryKey: ["queue", kind, order],
    queryFn: ({ pageParam }) => consoleRequest("GET /api/operator/queue", { query: { kind, order, cursor: pageParam } }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next_cursor: next }) => next ?? undefined,
    placeholderData: keepPreviousData,
  });
  const items = queue.data?.pages.flatMap((page) => page.items) ?? [];
  const listed = openId === undefined ? items[0] : items.find((item) => item.kind === openKind && item.id === openId);
  const search = address.toString() === "" ? "" : `?${address.toString()}`;
  const go = (item: QueueItem | undefined) => {
    setNotice(null);
    void navigate(`${item === undefined ? "/operator/queue" : caseAddress(item)}${search}`);
  };
  const at = listed === undefined ? -1 : items.indexOf(listed);
  const next = items[at + 1];
  useMoveKeys((step) => {
    const target = openId === undefined && step > 0 ? items[1] : items[at + step];
    if (target !== undefined) go(target);
  });
  return (
    <div className={styles.room}>
      <div className={classNames(styles.inbox, openId !== undefined && styles.opened)}>
        <PageTitle title="Queue" />
        <div className={styles.list}>
          <Filters kind={kind} order={order} />
          <Loaded of={queue} failure="The queue could not be loaded">
            {() => (
              <>
                {items.length === 0 && (
                  <EmptyState
                    title="Nothing is waiting"
                    text="Questions, refund requests, proposals, frozen accounts, disputes and pending refunds appear here."
                  />
                )}
                <ul aria-label="Cases">
                  {items.map((item) => (
                    <CaseLink
                      key={`${item.kind} ${item.id}`}
                      item={item}
                      address={`${caseAddress(item)}${search}`}
                      isOpen={item === listed}
                      readAt={new Date(queue.dataUpdatedAt)}
                    />
                  ))}
                </ul>
                <ShowMore of={queue} />
              </>
            )}
          </Loaded>
        </div>
        <div className={styles.pane}>
          {openId !== undefined && (
            <Link className={classNames("link", styles.back)} to={`/operator/queue${search}`}>
              All cases
            </Link>
          )}
          {notice !== null && <Banner kind="info">{notice}</Banner>}
          <OpenCase
            listed={listed}
            kind={openKind}
            id={openId}
            isRead={queue.isSuccess}
            hasNext={next !== undefined}
            onNext={() => go(next)}
            onDone={(message) => {
              go(next ?? items[at - 1]);
              setNotice(message);
            }}
          />
        </div>
      </div>
    </div>
  );
}

function Filters({ kind, order }: { readonly kind: string | undefined; readonly order: QueueOrder }) {
  const [, setAddress] = useSearchParams();
  const counts = useQueueCounts().filter((one) => one.waiting > 0 || one.kind === kind);
  const all = counts.reduce((sum, one) => sum + one.waiting, 0);
  const choose = (name: "kind" | "order", value: string) =>
    setAddress((before) => {
      const next = new URLSearchParams(before);
      if (value === "") next.delete(name);
      else next.set(name, value);
      return next;
    });
  const chips = [["", "All", all] as const, ...counts.map((one) => [one.kind, queueKindWords[one.kind], one.waiting] as const)];
  return (
    <div className={styles.filters}>
      <div role="group" aria-label="Show" className={consoleStyles.chips}>
        {chips.map(([value, name, waiting]) => (
          <button key={value} type="button" aria-pressed={(kind ?? "") === value} onClick={() => choose("kind", value)}>
            {`${name} ${waiting}`}
          </button>
        ))}
      </div>
      <div role="group" aria-label="Order" className={consoleStyles.chips}>
        {ORDERS.map(([name, one, inAddress]) => (
          <button key={one} type="button" aria-pressed={order === one} onClick={() => choose("order", inAddress)}>
            {name}
          </button>
        ))}
      </div>
    </div>
  );
}

interface CaseLinkProps {
  readonly item: QueueItem;
  readonly address: string;
  readonly isOpen: boolean;
  readonly readAt: Date;
}

function CaseLink({ item, address, isOpen, readAt }: CaseLinkProps) {
  const link = useRef<HTMLAnchorElement>(null);
  useEffect(() => {
    if (isOpen) link.current?.scrollIntoView({ block: "nearest" });
  }, [isOpen]);
  const { due_at: due, amount, text, approval, held_by: holder } = item;
  const { title, note } = queueWords(item);
  const isDue = isLate(due, readAt) || isSoon(due, readAt);
  return (
    <li>
      <Link ref={link} to={address} aria-current={isOpen ? "true" : undefined}>
        <span>
          <b>{whoWaits(item)}</b>
          <time className={classNames("fig", styles.due, isDue && styles.warn)} dateTime={due} title={utcText(due)}>
            {dueText(due, readAt)}
          </time>
        </span>
        <span>
          <span>{title}</span>
          {amount !== null && <span className="fig">{amountText(item.kind, amount)}</span>}
        </span>
        {holder !== null && (
          <span>
            <span className={styles.warn}>{`${holder.name} has it open`}</span>
          </span>
        )}
        <span className={styles.preview} dir="auto">
          {approval === null ? (text === "" ? note : `“${text}”`) : note}
        </span>
      </Link>
    </li>
  );
}

interface OpenCaseProps {
  readonly listed: QueueItem | undefined;
  readonly kind: string | undefined;
  readonly id: string | undefined;
  /** Whether the list is there. */
  readonly isRead: boolean;
  readonly hasNext: boolean;
  readonly onNext: () => void;
  /** Called once it no longer waits, with why if somebody else was faster. */
  readonly onDone: (message: string | null) => void;
}

/** The case of the address: from the list, or read by itself where a link leads beyond what the list has loaded. */
function OpenCase({ listed, kind: openKind, id, isRead, ...moves }: OpenCaseProps) {
  const kind = queueKinds.find((one) => one === openKind);
  const alone = useQuery({
    queryKey: ["case", kind, id],
    queryFn: () => consoleRequest("GET /api/operator/queue", { query: { kind, id } }),
    enabled: listed === undefined && isRead && kind !== undefined && id !== undefined,
  });
  const item = listed ?? alone.data?.items[0];
  if (item !== undefined) return <CasePane key={`${item.kind} ${item.id}`} item={item} {...moves} />;
  if (id === undefined) return null;
  if (kind !== undefined && (!isRead || alone.isPending)) return <Loading />;
  return (
    <EmptyState
      title="This case is no longer waiting"
      text="It was answered, closed or withdrawn meanwhile, or your role does not answer such cases."
    />
  );
}

const STEPS: Readonly<Record<string, number>> = { j: 1, k: -1 };

/** The keys J and K move to the next and the previous case. They never send anything, and can be turned off with the search's key. */
function useMoveKeys(move: (step: number) => void): void {
  useKeys(({ key, code }) => {
    // Where the layout has no Latin letters, the key's place counts.
    const letter = /^[a-z]$/i.test(key) ? key : code.replace("Key", "");
    const step = STEPS[letter.toLowerCase()];
    return step === undefined ? undefined : () => move(step);
  });
}
