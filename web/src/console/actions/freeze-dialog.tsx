import { type LockReason, lockReasons } from "@farline/contract/constants.ts";
import type { OperatorCustomerResponse } from "@farline/contract/operator/customers.ts";
import { useState } from "react";
import { consoleRequest } from "../console-request.ts";
import { ReasonDialog } from "../shell/reason-dialog.tsx";
import { SelectField } from "../shell/select-field.tsx";
import type { Done } from "./action-dialog.tsx";

const TOLD: Readonly<Record<LockReason, string>> = {
  payment: "A payment is being reviewed",
  calls: "Calls are being reviewed",
  owner: "The owner asked for it",
  review: "The account is being reviewed",
};
const OPTIONS = lockReasons.map((reason) => [reason, TOLD[reason]] as const);

interface FreezeDialogProps {
  readonly customer: OperatorCustomerResponse;
  readonly onClose: () => void;
  readonly done: Done;
}

export function FreezeDialog({ customer: { customer, counts }, onClose, done }: FreezeDialogProps) {
  const [because, setBecause] = useState<LockReason>("review");
  const calls = counts.live_calls === 0 ? "" : ` Live calls (${counts.live_calls}) end within 10 seconds.`;
  return (
    <ReasonDialog
      title={`Freeze ${customer.email}`}
      text={`No calls, top-ups or withdrawals until you unfreeze the account.${calls} The customer can still sign in.`}
      action="Freeze"
      ends
      onClose={onClose}
      onConfirm={async (reason) => {
        const body = { because, reason };
        const { changed } = await consoleRequest("POST /api/operator/customers/:id/freeze", {
          params: { id: customer.id },
          body,
        });
        done({ text: changed ? "The account is frozen." : "The account was frozen already." });
      }}
    >
      <SelectField
        label="What the customer is told"
        options={OPTIONS}
        value={because}
        onChosen={(value) => setBecause(value as LockReason)}
      />
    </ReasonDialog>
  );
}
