import { runbooks } from "@farline/contract/operator/constants.ts";
import type { TroubleResponse } from "@farline/contract/operations.ts";
import type { OverviewResponse } from "@farline/contract/operator/overview.ts";
import type { QueueCount } from "@farline/contract/operator/queue.ts";
import { Link } from "react-router";
import { Card } from "../../ui/card.tsx";
import { useConsoleSession } from "../console-session.tsx";
import { dueText, isLate } from "../queue/due-text.ts";
import { queueKindNames } from "../queue/queue-kind-names.ts";
import { DataTable } from "../shell/data-table.tsx";
import * as rows from "../shell/rows.module.css";
import * as styles from "./overview.module.css";

/** What is wrong, what to look at first, and where. */
export function WarningsCard({ warnings }: { readonly warnings: readonly TroubleResponse[] }) {
  const { rights } = useConsoleSession();
  return (
    <Card title="Warnings" className={styles.wide}>
      {warnings.length === 0 && <p>Nothing is wrong.</p>}
      <ul className={styles.list} aria-label="Warnings">
        {warnings.map(({ text, runbook }) => {
          const { step, page } = runbooks[runbook];
          return (
            <li key={text} className={styles.warning}>
              <span className={styles.text}>{text}</span>
              <div className={rows.facts}>
                <span>{`Look first: ${step}`}</span>
                {page !== null && rights.includes(page.right) && (
                  <Link className="link" to={page.path}>
                    {page.title}
                  </Link>
                )}
                <span>{`docs/runbooks/${runbook}.md`}</span>
              </div>
            </li>
          );
        })}
      </ul>
    </Card>
  );
}

/** What waits for an operator, by kind. */
export function QueueCard({ counts, at }: { readonly counts: readonly QueueCount[]; readonly at: string }) {
  const waiting = counts.filter((one) => one.waiting > 0);
  return (
    <Card title="Queue">
      {waiting.length === 0 && <p>Nothing waits.</p>}
      <ul className={styles.list} aria-label="What waits">
        {waiting.map(({ kind, waiting: count, due_at: due, amount }) => (
          <li key={kind} className={rows.head}>
            <Link className="link" to={`/operator/queue?kind=${kind}`}>
              {`${queueKindNames[kind]}: ${count}`}
            </Link>
            <div className={rows.facts}>
              {amount !== "0.00" && <span className="fig">{`$${amount}`}</span>}
              {due !== null && (
                <span className={isLate(due, new Date(at)) ? styles.late : undefined}>{dueText(due, new Date(at))}</span>
              )}
            </div>
          </li>
        ))}
      </ul>
    </Card>
  );
}

/** Calls of this moment, and the money that they move. */
export function LiveCard({ live }: { readonly live: OverviewResponse["live"] }) {
  const { ringing, answered, charge, held, cost } = live;
  return (
    <Card title="Live calls">
      <DataTable
        label="Live calls now"
        head={["Calls", "Now"]}
        rows={[
          ["Answered", String(answered)],
          ["Ringing", String(ringing)],
          ["Customers pay so far", `$${charge}`],
          ["Until their limits at most", `$${held}`],
          ...(cost === null ? [] : [["Carriers take so far", `$${cost}`]]),
        ]}
      />
      <Link className="link" to="/operator/live">
        Show the calls
      </Link>
    </Card>
  );
}
