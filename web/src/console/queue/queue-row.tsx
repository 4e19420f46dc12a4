import { declarationOf, type OperationName } from "@farline/contract/operator/operations.ts";
import type { QueueItem, QueueKind } from "@farline/contract/operator/queue.ts";
import { Link } from "react-router";
import { saveFile } from "../../browser/save-file.ts";
import { Button } from "../../ui/button.tsx";
import { toast } from "../../ui/messages/toast.ts";
import * as styles from "../console.module.css";
import { OperationForm, type OperationAnswer } from "../operation/operation-form.tsx";
import { detailText, timeText } from "../shell/texts.ts";
import { dueText, isLate } from "./queue-kinds.ts";

/** How a row of each kind can be answered. Every role that sees it may do so. */
const ANSWERS: Readonly<Record<QueueKind, readonly OperationName[]>> = {
  question: ["answer-case", "close-case"],
  refund_request: ["refund-call", "decline-call-refund"],
  dispute: ["export-evidence", "handle-dispute"],
  review: ["unfreeze", "keep-frozen"],
  // A proposal has its own row.
  approval: [],
  // It leaves by itself.
  slow_refund: [],
};

/** A row and how it is answered. */
export interface Answering {
  readonly item: QueueItem;
  readonly answer: OperationName;
}

interface QueueRowProps {
  readonly item: QueueItem;
  readonly readAt: Date;
  readonly onAnswer: (answering: Answering) => void;
}

/** One row of the queue with a button for each answer. */
export function QueueRow({ item, readAt, onAnswer }: QueueRowProps) {
  const { kind, since, due_at: due, amount, customer, title, text, detail, provider_url: provider } = item;
  return (
    <li className={styles.row}>
      <div className={styles.head}>
        <span className={styles.title}>{title}</span>
        <time className={isLate(due, readAt) ? `small fig ${styles.late}` : "small fig"} dateTime={due} title={timeText(due)}>
          {dueText(due, readAt)}
        </time>
      </div>
      {text !== "" && <p className={styles.words}>{text}</p>}
      <div className={styles.facts}>
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
      <div className={styles.actions}>
        {ANSWERS[kind].map((answer) => (
          <Button key={answer} size="sm" onClick={() => onAnswer({ item, answer })}>
            {declarationOf(answer).label}
          </Button>
        ))}
        {provider !== null && (
          <a className="link" href={provider} target="_blank" rel="noreferrer">
            {kind === "dispute" ? "Answer at the payment provider" : "Open at the payment provider"}
          </a>
        )}
      </div>
    </li>
  );
}

interface AnswerFormProps {
  readonly answering: Answering;
  readonly onClose: () => void;
  /** Called with why the row no longer waits like this: somebody else was faster. */
  readonly onOutdated: (message: string) => void;
}

export function AnswerForm({ answering: { item, answer }, onClose, onOutdated }: AnswerFormProps) {
  const form = { subject: item.id, title: `${declarationOf(answer).label}: ${item.title}`, onClose, onOutdated };
  if (answer === "refund-call") return <OperationForm operation={answer} {...form} text={REFUND_TEXT} input={{ reason: null }} />;
  if (answer === "unfreeze") return <OperationForm operation={answer} {...form} input={{ ofReview: true }} />;
  if (answer !== "export-evidence") return <OperationForm operation={answer} {...form} />;
  const save = ({ name, csv }: OperationAnswer<"export-evidence">) => {
    saveFile(name, csv, "text/csv;charset=utf-8");
    toast.success("The evidence is saved.");
    onClose();
  };
  return <OperationForm operation={answer} {...form} onDone={save} />;
}

const REFUND_TEXT =
  "The whole charge of the call goes back to the customer's balance. Above your limit a second operator must confirm it.";
