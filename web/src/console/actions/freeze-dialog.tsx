import { type FreezeReason, freezeReasons } from "@farline/contract/constants.ts";
import type { OperatorCustomerResponse } from "@farline/contract/operator/customers.ts";
import { useState } from "react";
import { ReasonDialog } from "../shell/reason-dialog.tsx";
import { SelectField } from "../shell/select-field.tsx";
import type { Done } from "./waiting-dialog.tsx";
import { performOperation, sentenceOf } from "./simple-dialog.tsx";

const TOLD: Readonly<Record<FreezeReason, string>> = {
  payment: "A payment is being reviewed",
  calls: "Calls are being reviewed",
  owner: "The owner asked for it",
  review: "The account is being reviewed",
};
const OPTIONS = freezeReasons.map((reason) => [reason, TOLD[reason]] as const);

interface FreezeDialogProps {
  readonly customer: OperatorCustomerResponse;
  readonly onClose: () => void;
  readonly done: Done;
}

export function FreezeDialog({ customer, onClose, done }: FreezeDialogProps) {
  const [because, setBecause] = useState<FreezeReason>("review");
  const about = { customer, entry: null };
  return (
    <ReasonDialog
      title={`Freeze ${customer.customer.email}`}
      text={sentenceOf("freeze", about)}
      action="Freeze"
      ends
      onClose={onClose}
      onConfirm={async (reason) => done(await performOperation("freeze", about, { because, reason }))}
    >
      <SelectField
        label="What the customer is told"
        options={OPTIONS}
        value={because}
        onChosen={(value) => setBecause(value as FreezeReason)}
      />
    </ReasonDialog>
  );
}
