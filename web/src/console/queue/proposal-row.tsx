import type { ApprovalResponse } from "@farline/contract/operator/queue.ts";
import { declarationOf, type OperationName, secondFor } from "@farline/contract/operator/operations.ts";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import * as styles from "../console.module.css";
import { messageOf, wasCancelled } from "../../service/http.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialogs/dialog.tsx";
import { Banner } from "../../ui/messages/banner.tsx";
import { toast } from "../../ui/messages/toast.ts";
import { consoleRequest } from "../console-request.ts";
import { OperationForm } from "../operation/operation-form.tsx";
import { detailText, timeText } from "../shell/texts.ts";

type Action = ApprovalResponse["can"][number];

/** A proposal, with what the operator may do about it. */
export function ProposalRow({ approval }: { readonly approval: ApprovalResponse }) {
  const client = useQueryClient();
  const [action, setAction] = useState<Action | null>(null);
  const { reason, proposed_by: maker, proposed_at: at, expires_at: until, can, cannot } = approval;
  const refetch = () => void client.invalidateQueries();
  return (
    <li className={styles.row}>
      <div className={styles.head}>
        <span className={styles.title}>{summaryOf(approval)}</span>
        <span className="small fig">{`expires ${timeText(until)}`}</span>
      </div>
      <p>{reason}</p>
      <div className={styles.facts}>
        <span>{`proposed by ${maker.name}, ${timeText(at)}`}</span>
        {factsOf(approval).map((text) => (
          <span key={text}>{text}</span>
        ))}
      </div>
      {can.includes("withdraw") && <p className="small muted">You proposed this, so another operator must confirm it.</p>}
      {cannot !== null && !can.includes("withdraw") && <p className="small muted">{cannot}</p>}
      <div className={styles.actions}>
        {can.map((one) => (
          <Button key={one} {...(one === "confirm" ? { pair: "action" } : {})} size="sm" onClick={() => setAction(one)}>
            {LABELS[one]}
          </Button>
        ))}
      </div>
      {action === "confirm" && <ConfirmDialog approval={approval} onDone={refetch} onClose={() => setAction(null)} />}
      {(action === "reject" || action === "withdraw") && (
        <OperationForm
          operation={`${action}-proposal`}
          subject={approval.id}
          title={`${LABELS[action]} the proposal`}
          text={summaryOf(approval)}
          onClose={() => setAction(null)}
        />
      )}
    </li>
  );
}

const LABELS: Readonly<Record<Action, string>> = { confirm: "Confirm", reject: "Reject", withdraw: "Withdraw" };

interface ConfirmDialogProps {
  readonly approval: ApprovalResponse;
  readonly onDone: () => void;
  readonly onClose: () => void;
}

/** Shows once more what will be done. */
function ConfirmDialog({ approval, onDone, onClose }: ConfirmDialogProps) {
  const confirm = useMutation({
    mutationFn: () => consoleRequest("POST /api/operator/approvals/:id/confirm", { params: { id: approval.id } }),
    onSuccess: ({ failure }) => {
      onDone();
      if (failure !== null) return;
      toast.success(secondFor(approval.action)?.confirmed?.(approval.proposed_by.name) ?? "Done.");
      onClose();
    },
  });
  const failure = confirm.data?.failure ?? null;
  return (
    <Dialog open onClose={onClose} title={summaryOf(approval)}>
      <div className={styles.form}>
        {confirm.isError && !wasCancelled(confirm.error) && (
          <Banner kind="error">{messageOf(confirm.error, "Nothing was done. Try again.")}</Banner>
        )}
        {failure !== null && (
          <Banner kind="error">{`The payment provider refused: ${failure} The credit is back on the account.`}</Banner>
        )}
        <p>{`${approval.proposed_by.name} proposed this: ${approval.reason}`}</p>
        <ul>
          {factsOf(approval).map((text) => (
            <li key={text} className="small">
              {text}
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

/** For example "Refund $150.00 for ada@example.com". */
function summaryOf({ action, amount, customer }: ApprovalResponse): string {
  const words = [
    secondFor(action)?.title ?? action,
    amount === null ? "" : `$${amount}`,
    customer === null ? "" : `for ${customer.email}`,
  ];
  return words.filter((word) => word !== "").join(" ");
}

/** What it concerns, and its details. */
function factsOf({ action, subject, detail }: ApprovalResponse): string[] {
  const about = secondFor(action) === undefined ? null : declarationOf(action as OperationName).subject;
  const word = about === null || about === "customer" || about === "operator" ? "about" : about;
  return [...(subject === null ? [] : [`${word} ${subject}`]), ...detailText(detail)];
}
