import { declarationOf, type OperationName } from "@farline/contract/operator/operations.ts";
import type { QueueItem, QueueKind } from "@farline/contract/operator/queue.ts";
import { Link } from "react-router";
import { saveFile } from "../../browser/save-file.ts";
import { ApiError } from "../../service/http.ts";
import { Button } from "../../ui/button.tsx";
import { toast } from "../../ui/messages/toast.ts";
import { consoleRequest } from "../console-request.ts";
import * as styles from "../console.module.css";
import { FormDialog } from "../operation/form-dialog.tsx";
import { OperationForm, type OperationAnswer } from "../operation/operation-form.tsx";
import { detailText, timeText } from "../shell/texts.ts";
import { dueText, isLate } from "./queue-kinds.ts";

type Verdict = "unfreeze" | "keep";
type Answer = Exclude<OperationName, "unfreeze"> | Verdict;

/** How a row of each kind can be answered. Every role that sees it may do so. */
const ANSWERS: Readonly<Record<QueueKind, readonly Exclude<OperationName, "unfreeze">[]>> = {
  question: ["answer-case", "close-case"],
  refund_request: ["refund-call", "decline-call-refund"],
  dispute: ["export-evidence", "handle-dispute"],
  // A frozen account gets a verdict, and a proposal has its own row.
  review: [],
  approval: [],
  // It leaves by itself.
  slow_refund: [],
};

/** What ends a review of a frozen account. */
const VERDICTS: Readonly<Record<Verdict, { readonly label: string; readonly text: string; readonly done: string }>> = {
  unfreeze: {
    label: "Unfreeze",
    text: "The customer can call and pay again, and gets a mail.",
    done: "The account is unfrozen.",
  },
  keep: {
    label: "Keep frozen",
    text: "The account stays frozen. Refund what is unspent, or change limits, on the customer's page.",
    done: "The account stays frozen.",
  },
};

/** A row and how it is answered. */
export interface Answering {
  readonly item: QueueItem;
  readonly answer: Answer;
}

interface QueueRowProps {
  readonly item: QueueItem;
  readonly readAt: Date;
  readonly onAnswer: (answering: Answering) => void;
}

/** One row of the queue with a button for each answer. */
export function QueueRow({ item, readAt, onAnswer }: QueueRowProps) {
  const { kind, since, due_at: due, amount, customer, title, text, detail, provider_url: provider } = item;
  const answers: readonly Answer[] = kind === "review" ? ["unfreeze", "keep"] : ANSWERS[kind];
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
        {answers.map((answer) => (
          <Button key={answer} size="sm" onClick={() => onAnswer({ item, answer })}>
            {isVerdict(answer) ? VERDICTS[answer].label : declarationOf(answer).label}
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

function isVerdict(answer: Answer): answer is Verdict {
  return answer in VERDICTS;
}

interface AnswerFormProps {
  readonly answering: Answering;
  readonly onClose: () => void;
  /** Called after a verdict. */
  readonly onDone: () => void;
  /** Called with why the row no longer waits like this: somebody else was faster. */
  readonly onOutdated: (message: string) => void;
}

export function AnswerForm({ answering: { item, answer }, onClose, onDone, onOutdated }: AnswerFormProps) {
  if (isVerdict(answer)) return <VerdictForm verdict={answer} {...{ item, onClose, onDone, onOutdated }} />;
  const form = { subject: item.id, title: `${declarationOf(answer).label}: ${item.title}`, onClose, onOutdated };
  if (answer === "refund-call") return <OperationForm operation={answer} {...form} text={REFUND_TEXT} input={{ reason: null }} />;
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

interface VerdictFormProps extends Omit<AnswerFormProps, "answering"> {
  readonly item: QueueItem;
  readonly verdict: Verdict;
}

function VerdictForm({ item, verdict, onClose, onDone, onOutdated }: VerdictFormProps) {
  const { label, text, done } = VERDICTS[verdict];
  const confirm = async (reason: string): Promise<void> => {
    try {
      await consoleRequest("POST /api/operator/reviews/:customer", { params: { customer: item.id }, body: { verdict, reason } });
      toast.success(done);
      onDone();
    } catch (error) {
      if (!(error instanceof ApiError) || (error.code !== "conflict" && error.code !== "not_found")) throw error;
      onOutdated(error.message);
    }
    onClose();
  };
  return (
    <FormDialog
      title={`${label}: ${item.title}`}
      text={text}
      action={label}
      ends={verdict === "keep"}
      onClose={onClose}
      onConfirm={({ reason }) => confirm(String(reason))}
    />
  );
}
