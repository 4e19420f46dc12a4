import type { TimelineType } from "@farline/contract/operator/constants.ts";
import type { TimelineEntry } from "@farline/contract/operator/customers.ts";
import { sumText } from "@farline/contract/operator/words/money-words.ts";
import { moveText, timelineWords } from "@farline/contract/operator/words/timeline-words.ts";
import {
  IconAdjustmentsHorizontal,
  IconAlertTriangle,
  IconCreditCard,
  IconLock,
  IconMail,
  IconMessageCircle,
  IconPhone,
  IconPhoneOff,
  IconReceipt,
  IconTicket,
} from "@tabler/icons-react";
import { useInfiniteQuery } from "@tanstack/react-query";
import { type ComponentProps, Fragment, useState } from "react";
import { Link } from "react-router";
import * as styles from "../console.module.css";
import { ButtonLink } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { Icon } from "../../ui/icon.tsx";
import { ShowMore } from "../../ui/waiting/loaded.tsx";
import { consoleRequest } from "../console-request.ts";
import { ActionButtons, type Chosen } from "../operation/customer-operation.tsx";
import { caseAddress } from "../queue/queue-kinds.ts";
import { Loaded } from "../shell/figures.tsx";
import { CopyKey, dayOf, Numbers, When } from "../shell/inline-parts.tsx";

const GROUPS = ["Calls", "Money", "Words", "Account"] as const;
type Group = (typeof GROUPS)[number];

/** Where each type is found, and its sign. */
const TYPES: Readonly<Record<TimelineType, readonly [group: Group, icon: ComponentProps<typeof Icon>["of"]]>> = {
  call: ["Calls", IconPhone],
  call_block: ["Calls", IconPhoneOff],
  payment: ["Money", IconCreditCard],
  declined_card: ["Money", IconCreditCard],
  refund: ["Money", IconReceipt],
  withdrawal: ["Money", IconReceipt],
  dispute: ["Money", IconAlertTriangle],
  fraud_warning: ["Money", IconAlertTriangle],
  credit: ["Money", IconTicket],
  refund_request: ["Words", IconMessageCircle],
  case: ["Words", IconMessageCircle],
  mail: ["Words", IconMail],
  account: ["Account", IconLock],
  operation: ["Account", IconAdjustmentsHorizontal],
};

interface TimelineProps {
  readonly id: string;
  readonly onChosen: (chosen: Chosen) => void;
}

/** Everything that happened to a customer, newest first, with the seconds and the money as the customer reads them. */
export function Timeline({ id, onChosen }: TimelineProps) {
  const [group, setGroup] = useState<Group | null>(null);
  const timeline = useInfiniteQuery({
    queryKey: ["timeline", id],
    queryFn: ({ pageParam }) =>
      consoleRequest("GET /api/operator/customers/:id/timeline", { params: { id }, query: { cursor: pageParam } }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next_cursor: next }) => next ?? undefined,
  });
  const loaded = timeline.data?.pages.flatMap((page) => page.entries) ?? [];
  const entries = loaded.filter(({ type }) => group === null || TYPES[type][0] === group);
  return (
    <Card>
      <div className={styles.cardHead}>
        <h2 className="t-card">Timeline</h2>
        <span className="small muted">seconds as the customer reads them</span>
        <div role="group" aria-label="Show" className={styles.chips}>
          {[null, ...GROUPS].map((one) => (
            <button key={one ?? "All"} type="button" aria-pressed={group === one} onClick={() => setGroup(one)}>
              {one ?? "All"}
            </button>
          ))}
        </div>
      </div>
      <Loaded of={timeline} failure="The timeline could not be loaded">
        {() => (
          <>
            {loaded.length === 0 && <EmptyState title="Nothing has happened yet" />}
            {loaded.length > 0 && entries.length === 0 && <p className="muted">Nothing of this among what is loaded.</p>}
            <ul className={styles.timeline} aria-label="Timeline">
              {entries.map((entry, index) => (
                <Fragment key={`${entry.type} ${entry.id}`}>
                  {dayOf(entry.at) !== dayOf(entries[index - 1]?.at ?? "") && <li className={styles.day}>{dayOf(entry.at)}</li>}
                  <EntryRow entry={entry} onChosen={onChosen} />
                </Fragment>
              ))}
            </ul>
          </>
        )}
      </Loaded>
      <ShowMore of={timeline} />
    </Card>
  );
}

interface EntryRowProps {
  readonly entry: TimelineEntry;
  readonly onChosen: (chosen: Chosen) => void;
}

function EntryRow({ entry, onChosen }: EntryRowProps) {
  const { type, id, at, state, balance_after: after, facts, can } = entry;
  const { title, note } = timelineWords(entry);
  const isUnanswered = type === "call" && (facts.duration_ms ?? 0) === 0;
  return (
    <li className={styles.entry}>
      <When at={at} show="clock" />
      <Icon of={isUnanswered ? IconPhoneOff : TYPES[type][1]} />
      <span className={styles.entryWords}>
        {type === "call" ? (
          <Link to={`/operator/calls/${id}`}>
            <Numbers text={title} />
          </Link>
        ) : (
          <span>{title}</span>
        )}
        {note !== "" && <span className="small muted">{` ${note}`}</span>}
        {facts.until !== undefined && (
          <span className="small muted">
            <span> until </span>
            <When at={facts.until} />
          </span>
        )}
      </span>
      <bdi dir="ltr" className={styles.moved}>
        {moveText(entry)}
      </bdi>
      <bdi dir="ltr" className={styles.after}>
        {after === null ? "" : sumText(after)}
      </bdi>
      <span className={styles.entryKeys}>
        {type === "case" && state === "open" && (
          <ButtonLink size="sm" to={caseAddress({ kind: "question", id })}>
            Answer
          </ButtonLink>
        )}
        {type === "refund_request" && state === "open" && (
          <ButtonLink size="sm" to={caseAddress({ kind: "refund_request", id })}>
            Decide
          </ButtonLink>
        )}
        {type !== "refund_request" && (
          <ActionButtons can={can} about={title} onChosen={(action) => onChosen({ action, entry })} />
        )}
        <CopyKey of={id} what={type === "case" ? "case number" : "id"} />
      </span>
    </li>
  );
}
