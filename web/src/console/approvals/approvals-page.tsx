import type { ApprovalResponse } from "@farline/contract/operator/approvals.ts";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { messageOf, wasCancelled } from "../../service/http.ts";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { Dialog } from "../../ui/dialogs/dialog.tsx";
import { EmptyState, LoadFailure } from "../../ui/empty-state.tsx";
import { Banner } from "../../ui/messages/banner.tsx";
import { toast } from "../../ui/messages/toast.ts";
import { Spinner } from "../../ui/waiting/spinner.tsx";
import { consoleRequest } from "../console-request.ts";
import { useConsoleSession, useRight } from "../console-session.tsx";
import { detailText } from "../shell/detail-text.ts";
import { usePageTitle } from "../shell/page-title.ts";
import { ReasonDialog } from "../shell/reason-dialog.tsx";
import { timeText } from "../shell/time-text.ts";
import * as rows from "../shell/rows.module.css";
import * as styles from "../sign-in/sign-in.module.css";

const APPROVALS = ["approvals"];

/** Proposals that wait for a second operator. */
export function ApprovalsPage() {
  usePageTitle("Approvals");
  const client = useQueryClient();
  const [confirming, setConfirming] = useState<ApprovalResponse | null>(null);
  const [rejecting, setRejecting] = useState<ApprovalResponse | null>(null);
  const open = useQuery({ queryKey: APPROVALS, queryFn: () => consoleRequest("GET /api/operator/approvals") });
  const readAgain = () => void client.invalidateQueries();
  return (
    <>
      <h1 className="t-page head">Approvals</h1>
      <Card>
        {open.isPending && <Spinner />}
        {open.isError && (
          <LoadFailure
            text={messageOf(open.error, "The approvals could not be loaded")}
            busy={open.isFetching}
            onRetry={() => void open.refetch()}
          />
        )}
        {open.isSuccess && open.data.approvals.length === 0 && (
          <EmptyState
            title="Nothing waits for a second operator"
            text="Large refunds, write-offs and unusual prices appear here."
          />
        )}
        <ul className={rows.rows}>
          {open.data?.approvals.map((one) => (
            <ApprovalRow key={one.id} approval={one} onConfirm={setConfirming} onReject={setRejecting} />
          ))}
        </ul>
      </Card>
      {confirming !== null && <ConfirmDialog approval={confirming} onDone={readAgain} onClose={() => setConfirming(null)} />}
      {rejecting !== null && (
        <ReasonDialog
          title="Reject the proposal"
          text={summaryOf(rejecting)}
          action="Reject"
          ends
          onClose={() => setRejecting(null)}
          onConfirm={async (reason) => {
            await consoleRequest("POST /api/operator/approvals/:id/reject", { params: { id: rejecting.id }, body: { reason } });
            toast.success("The proposal is rejected. Nothing was moved.");
            readAgain();
            setRejecting(null);
          }}
        />
      )}
    </>
  );
}

interface ApprovalRowProps {
  readonly approval: ApprovalResponse;
  readonly onConfirm: (approval: ApprovalResponse) => void;
  readonly onReject: (approval: ApprovalResponse) => void;
}

function ApprovalRow({ approval, onConfirm, onReject }: ApprovalRowProps) {
  const { operator } = useConsoleSession();
  const mayReject = useRight("refund");
  const { reason, proposed_by: maker, proposed_at: at, expires_at: until, may_confirm: mayConfirm } = approval;
  return (
    <li className={rows.row}>
      <div className={rows.head}>
        <span className={rows.title}>{summaryOf(approval)}</span>
        <span className="small fig">{`expires ${timeText(until)}`}</span>
      </div>
      <p>{reason}</p>
      <div className={rows.facts}>
        <span>{`proposed by ${maker.name}, ${timeText(at)}`}</span>
        {factsOf(approval).map((text) => (
          <span key={text}>{text}</span>
        ))}
      </div>
      {maker.id === operator.id && <p className="small muted">You proposed this, so another operator must confirm it.</p>}
      <div className={rows.actions}>
        {mayConfirm && (
          <Button pair="action" size="sm" onClick={() => onConfirm(approval)}>
            Confirm
          </Button>
        )}
        {mayReject && (
          <Button size="sm" onClick={() => onReject(approval)}>
            Reject
          </Button>
        )}
      </div>
    </li>
  );
}

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
      toast.success("Done.");
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

const ACTIONS: Readonly<Record<string, string>> = {
  refund: "Refund",
  write_off: "Write off a debt of",
  "grant-call-refund": "Refund a call,",
  "activate-deck": "Put a deck in force",
  "set-setting": "Change a setting",
};

/** For example "Refund $150.00 for ada@example.com". */
function summaryOf({ action, amount, customer }: ApprovalResponse): string {
  const words = [
    ACTIONS[action] ?? action,
    amount === null ? "" : `$${amount}`,
    customer === null ? "" : `for ${customer.email}`,
  ];
  return words.filter((word) => word !== "").join(" ");
}

/** What it concerns, and its details. */
function factsOf({ action, subject, detail }: ApprovalResponse): string[] {
  return [...(subject === null ? [] : [`${SUBJECTS[action] ?? "about"} ${subject}`]), ...detailText(detail)];
}

const SUBJECTS: Readonly<Record<string, string>> = {
  refund: "payment",
  "grant-call-refund": "call",
  "activate-deck": "deck",
  "set-setting": "setting",
};
