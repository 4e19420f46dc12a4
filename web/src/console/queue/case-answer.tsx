import { dollarText } from "@farline/contract/operator/words/money-words.ts";
import { declarationOf, type OperationName, secondFor } from "@farline/contract/operator/operations.ts";
import type { ApprovalResponse, QueueItem } from "@farline/contract/operator/queue.ts";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { saveFile } from "../../browser/save-file.ts";
import { messageOf, wasCancelled } from "../../service/http.ts";
import { useServiceForm } from "../../service/use-service-form.ts";
import { Button, buttonClass } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialogs/dialog.tsx";
import { LongTextField } from "../../ui/forms/form-fields.tsx";
import { Form } from "../../ui/forms/form.tsx";
import { Banner } from "../../ui/messages/banner.tsx";
import { toast } from "../../ui/messages/toast.ts";
import * as consoleStyles from "../console.module.css";
import { consoleRequest, UNANSWERED } from "../console-request.ts";
import { DRAFT, useConsoleSession } from "../console-session.tsx";
import { hasSearchKey } from "../lookup/use-search-key.ts";
import { AwaitingApproval, OperationForm, type OperationAnswer, useOperation } from "../operation/operation-form.tsx";
import { ANSWERS, caseTitle, proposalFacts, proposalTitle, whoWaits } from "./queue-kinds.ts";
import * as styles from "./queue.module.css";
import { Times } from "../shell/inline-parts.tsx";

interface CaseAnswerProps {
  readonly item: QueueItem;
  readonly hasNext: boolean;
  readonly onNext: () => void;
  /** Called once it no longer waits, with why if somebody else was faster. */
  readonly onDone: (message: string | null) => void;
}

/** How a case is answered: one dark key that names the deed and the sum; what ends or takes is apart, in red words. */
export function CaseAnswer({ item, hasNext, onNext, onDone }: CaseAnswerProps) {
  const { rights } = useConsoleSession();
  const [chosen, setChosen] = useState<OperationName | null>(null);
  const can = ANSWERS[item.kind].filter((name) => rights.includes(declarationOf(name).right));
  const [usual] = can;
  const writes = usual === "answer-case" || usual === "refund-call" ? usual : null;
  const others = can.filter((name) => name !== writes);
  const keys = (
    <>
      {others.map((name) => (
        <AnswerKey
          key={name}
          name={name}
          isUsual={name === usual && item.provider_url === null}
          onPress={() => setChosen(name)}
        />
      ))}
      <span className={styles.next}>
        {hasNext && (
          <button type="button" className="link" onClick={onNext}>
            <span>Next case</span>
            {hasSearchKey() && <kbd>J</kbd>}
          </button>
        )}
      </span>
    </>
  );
  return (
    <section className={styles.answer} aria-label="Answer">
      {item.provider_url !== null && (
        <a className={buttonClass({ pair: "action" })} href={item.provider_url} target="_blank" rel="noreferrer">
          {item.kind === "dispute" ? "Answer at the payment provider" : "Open at the payment provider"}
        </a>
      )}
      {item.approval !== null && <Decision item={item} approval={item.approval} onDone={onDone} />}
      {writes === null ? (
        <div className={styles.keys}>{keys}</div>
      ) : (
        <AnswerForm item={item} operation={writes} onDone={onDone}>
          {keys}
        </AnswerForm>
      )}
      {chosen !== null && <ChosenForm item={item} answer={chosen} onClose={() => setChosen(null)} onDone={onDone} />}
    </section>
  );
}

interface AnswerKeyProps {
  readonly name: OperationName;
  readonly isUsual: boolean;
  readonly onPress: () => void;
}

const LABELS: Readonly<Partial<Record<OperationName, string>>> = {
  "decline-call-refund": "Decline the refund",
  "close-case": "Close without an answer",
};
/** What ends or takes something from the customer. */
const TAKES: readonly OperationName[] = [
  "decline-call-refund",
  "close-case",
  "keep-frozen",
  "reject-proposal",
  "withdraw-proposal",
];

function AnswerKey({ name, isUsual, onPress }: AnswerKeyProps) {
  return (
    <Button
      {...(isUsual ? { pair: "action" as const } : {})}
      className={TAKES.includes(name) ? consoleStyles.takes : undefined}
      onClick={onPress}
    >
      {LABELS[name] ?? declarationOf(name).label}
    </Button>
  );
}

interface AnswerFormProps {
  readonly item: QueueItem;
  readonly operation: "answer-case" | "refund-call";
  readonly onDone: CaseAnswerProps["onDone"];
  readonly children: React.ReactNode;
}

/** The words that the customer reads, kept until they are sent, also while another case is open. */
function AnswerForm({ item, operation, onDone, children }: AnswerFormProps) {
  const draft = useDraft(item);
  const finish = (message: string | null) => {
    draft.drop();
    onDone(message);
  };
  const { send, isProposed } = useOperation(operation, item.id, { onClose: () => finish(null), onOutdated: finish });
  const form = useServiceForm<{ answer: string }>({
    empty: { answer: draft.text },
    send: ({ answer }) => send(operation === "answer-case" ? { answer } : { reason: null, answer: answer.trim() || null }),
    fallback: "Nothing was sent. Try again.",
    unanswered: UNANSWERED,
  });
  const field = form.field("answer", operation === "answer-case" ? { required: "Write a message to the customer." } : {});
  const [isEmpty, setEmpty] = useState(draft.text.trim() === "");
  if (isProposed) return <AwaitingApproval onClose={() => finish(null)} />;
  const sum = item.amount === null ? "" : ` ${dollarText(item.amount)}`;
  return (
    <Form noValidate onSubmit={form.submit}>
      {form.failure !== null && <Banner kind="error">{form.failure}</Banner>}
      <LongTextField
        {...field}
        label={`Answer to ${whoWaits(item)}`}
        rows={3}
        dir="auto"
        required={operation === "answer-case"}
        onInput={({ currentTarget: { value } }) => {
          draft.keep(value);
          setEmpty(value.trim() === "");
        }}
      />
      <div className={styles.keys}>
        <Button pair="action" type="submit" busy={form.busy}>
          {operation === "answer-case" ? "Send the answer" : isEmpty ? `Refund${sum}` : `Refund${sum} and send`}
        </Button>
        {children}
      </div>
    </Form>
  );
}

/** What was typed for a case, kept in memory until its operator signs out or another signs in: a session may end while somebody writes. */
function useDraft({ kind, id }: QueueItem) {
  const client = useQueryClient();
  const { operator } = useConsoleSession();
  const key = [DRAFT, operator.id, kind, id];
  const keep = (text: string) => {
    client.setQueryDefaults([DRAFT], { gcTime: Infinity });
    // oxlint-disable-next-line farline/shown-answers -- no request brings it
    client.setQueryData(key, text);
  };
  return { text: client.getQueryData<string>(key) ?? "", keep, drop: () => client.removeQueries({ queryKey: key }) };
}

interface ChosenFormProps {
  readonly item: QueueItem;
  readonly answer: OperationName;
  readonly onClose: () => void;
  readonly onDone: CaseAnswerProps["onDone"];
}

function ChosenForm({ item, answer, onClose, onDone }: ChosenFormProps) {
  const draft = useDraft(item);
  const isDone = answer !== "export-evidence";
  const form = {
    subject: item.id,
    title: `${LABELS[answer] ?? declarationOf(answer).label}: ${caseTitle(item)}`,
    action: LABELS[answer] ?? declarationOf(answer).label,
    initial: { answer: draft.text },
    onClose,
    onOutdated: onDone,
  };
  const done = (text: string) => {
    toast.success(text);
    draft.drop();
    onClose();
    onDone(null);
  };
  if (answer === "unfreeze")
    return (
      <OperationForm
        operation={answer}
        {...form}
        input={{ ofReview: true }}
        onDone={({ changed }) => done(changed ? "The account is open again." : "The account was not frozen.")}
      />
    );
  if (isDone) return <OperationForm operation={answer} {...form} onDone={() => done(outcomeOf(answer))} />;
  const save = ({ name, csv }: OperationAnswer<"export-evidence">) => {
    saveFile(name, csv, "text/csv;charset=utf-8");
    toast.success("The evidence is saved.");
    onClose();
  };
  return <OperationForm operation="export-evidence" {...form} onDone={save} />;
}

function outcomeOf(answer: OperationName): string {
  const { done } = declarationOf(answer);
  return (done as (() => string) | undefined)?.() ?? "Done.";
}

type Action = ApprovalResponse["can"][number];
const ACTIONS: Readonly<Record<Action, string>> = { confirm: "Confirm", reject: "Reject", withdraw: "Withdraw" };

interface DecisionProps {
  readonly item: QueueItem;
  readonly approval: ApprovalResponse;
  readonly onDone: CaseAnswerProps["onDone"];
}

/** What the operator may do about a proposal. */
function Decision({ item, approval, onDone }: DecisionProps) {
  const [action, setAction] = useState<Action | null>(null);
  return (
    <div className={styles.keys}>
      {approval.can.map((one) => (
        <Button
          key={one}
          {...(one === "confirm" ? { pair: "action" as const } : {})}
          className={one === "confirm" ? undefined : consoleStyles.takes}
          onClick={() => setAction(one)}
        >
          {ACTIONS[one]}
        </Button>
      ))}
      {action === "confirm" && <ConfirmDialog approval={approval} onDone={onDone} onClose={() => setAction(null)} />}
      {(action === "reject" || action === "withdraw") && (
        <OperationForm
          operation={`${action}-proposal`}
          subject={approval.id}
          title={`${ACTIONS[action]} the proposal`}
          text={caseTitle(item)}
          onClose={() => setAction(null)}
          onDone={() => {
            toast.success(outcomeOf(`${action}-proposal`));
            setAction(null);
            onDone(null);
          }}
          onOutdated={onDone}
        />
      )}
    </div>
  );
}

interface ConfirmDialogProps {
  readonly approval: ApprovalResponse;
  readonly onDone: CaseAnswerProps["onDone"];
  readonly onClose: () => void;
}

/** Shows once more what will be done. */
function ConfirmDialog({ approval, onDone, onClose }: ConfirmDialogProps) {
  const client = useQueryClient();
  const confirm = useMutation({
    mutationFn: () => consoleRequest("POST /api/operator/approvals/:id/confirm", { params: { id: approval.id } }),
    onSuccess: ({ failure }) => {
      void client.invalidateQueries();
      if (failure !== null) return;
      toast.success(secondFor(approval.action)?.confirmed?.(approval.proposed_by.name) ?? "Done.");
      onClose();
      onDone(null);
    },
  });
  const failure = confirm.data?.failure ?? null;
  return (
    <Dialog open onClose={onClose} title={proposalTitle(approval)}>
      <div className={consoleStyles.form}>
        {confirm.isError && !wasCancelled(confirm.error) && (
          <Banner kind="error">{messageOf(confirm.error, "Nothing was done. Try again.", UNANSWERED)}</Banner>
        )}
        {failure !== null && (
          <Banner kind="error">{`The payment provider refused: ${failure} The credit is back on the account.`}</Banner>
        )}
        <p>{`${approval.proposed_by.name} proposed this: ${approval.reason}`}</p>
        <ul>
          {proposalFacts(approval).map(({ name, text, at }) => (
            <li key={name} className="small">
              <Times text={`${name}: ${at ?? text}`} />
            </li>
          ))}
        </ul>
        <p className="muted">It is done at once, and recorded with both names.</p>
        <div className="row">
          <Button onClick={onClose}>Cancel</Button>
          {failure === null && (
            <Button pair="action" busy={confirm.isPending} onClick={() => confirm.mutate()}>
              Confirm
            </Button>
          )}
        </div>
      </div>
    </Dialog>
  );
}
