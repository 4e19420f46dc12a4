import type { QueueItem } from "@farline/contract/operator/queue.ts";
import { useState } from "react";
import { Link } from "react-router";
import { ApiError } from "../../service/http.ts";
import { Button } from "../../ui/button.tsx";
import { toast } from "../../ui/messages/toast.ts";
import { detailText } from "../shell/detail-text.ts";
import { ReasonDialog } from "../shell/reason-dialog.tsx";
import { timeText } from "../shell/time-text.ts";
import * as rows from "../shell/rows.module.css";
import { AnswerDialog } from "./answer-dialog.tsx";
import { dueText, isLate } from "./due-text.ts";
import { actionsOn, type QueueAction } from "./queue-actions.ts";
import * as styles from "./queue.module.css";

interface QueueRowProps {
  readonly item: QueueItem;
  /** Called after an answer, and when the service says why it was not needed: with that sentence. */
  readonly onDone: (told: string | null) => void;
}

/** One row of the queue with its answers. */
export function QueueRow({ item, readAt, onDone }: QueueRowProps & { readonly readAt: Date }) {
  const [action, setAction] = useState<QueueAction | null>(null);
  const { since, due_at: due, amount, customer, title, text, detail, provider_url: provider } = item;
  return (
    <li className={rows.row}>
      <div className={rows.head}>
        <span className={rows.title}>{title}</span>
        <time className={isLate(due, readAt) ? `small fig ${styles.late}` : "small fig"} dateTime={due} title={timeText(due)}>
          {dueText(due, readAt)}
        </time>
      </div>
      {text !== "" && <p className={styles.words}>{text}</p>}
      <div className={rows.facts}>
        {amount !== null && <span className="fig">{`$${amount}`}</span>}
        {customer !== null && (
          <Link className="link" to={`/operator/customers/${customer.id}`}>
            {customer.email}
          </Link>
        )}
        <span>{`since ${timeText(since)}`}</span>
        {detailText(detail).map((fact) => (
          <span key={fact}>{fact}</span>
        ))}
      </div>
      <div className={rows.actions}>
        {actionsOn(item).map((one) => (
          <Button key={one.label} size="sm" onClick={() => setAction(one)}>
            {one.label}
          </Button>
        ))}
        {provider !== null && (
          <a className="link" href={provider} target="_blank" rel="noreferrer">
            {item.kind === "dispute" ? "Answer at the payment provider" : "Open at the payment provider"}
          </a>
        )}
      </div>
      {action !== null && <ActionDialog item={item} action={action} onDone={onDone} onClose={() => setAction(null)} />}
    </li>
  );
}

interface ActionDialogProps extends QueueRowProps {
  readonly action: QueueAction;
  readonly onClose: () => void;
}

function ActionDialog({ item, action, onDone, onClose }: ActionDialogProps) {
  const { label, text, asks, ends = false, run } = action;
  const title = `${label}: ${item.title}`;
  const onConfirm = async (words: string): Promise<void> => {
    try {
      toast.success(await run(item, words));
      onDone(null);
    } catch (error) {
      // Somebody else was faster, or a second operator must confirm it: this row no longer waits like this.
      if (!(error instanceof ApiError) || (error.code !== "conflict" && error.code !== "not_found")) throw error;
      onDone(error.message);
    }
    onClose();
  };
  return asks === "reason" ? (
    <ReasonDialog title={title} text={text} action={label} ends={ends} onClose={onClose} onConfirm={onConfirm} />
  ) : (
    <AnswerDialog title={title} text={text} action={label} needed={asks === "answer"} onClose={onClose} onConfirm={onConfirm} />
  );
}
