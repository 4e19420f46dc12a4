import type { OperatorCustomerResponse, StoryEntry } from "@farline/contract/operator/customers.ts";
import type { OperationName } from "@farline/contract/operator/operations.ts";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { toast } from "../../ui/messages/toast.ts";
import { AdjustDialog } from "./adjust-dialog.tsx";
import { FreezeDialog } from "./freeze-dialog.tsx";
import { RefundDialog } from "./refund-dialog.tsx";
import { SimpleDialog } from "./simple-dialog.tsx";
import { TermDialog } from "./term-dialog.tsx";
import { WaitingDialog, type Done } from "./waiting-dialog.tsx";

/** An action that was chosen, and what it is about. */
export interface Chosen {
  readonly action: OperationName;
  /** Null: the customer. */
  readonly entry: StoryEntry | null;
}

interface ActionDialogProps {
  readonly chosen: Chosen;
  readonly customer: OperatorCustomerResponse;
  readonly onClose: () => void;
}

/** Asks for a reason, does what was chosen, and says what happened. */
export function ActionDialog({ chosen, customer, onClose }: ActionDialogProps) {
  const client = useQueryClient();
  const [isWaiting, setWaiting] = useState(false);
  const done: Done = ({ text, proposal = null }) => {
    void client.invalidateQueries();
    if (proposal !== null) return setWaiting(true);
    toast.success(text);
    onClose();
  };
  if (isWaiting) return <WaitingDialog onClose={onClose} />;
  const { action, entry } = chosen;
  const props = { customer, onClose, done };
  if (action === "freeze") return <FreezeDialog {...props} />;
  if (action === "set-term") return <TermDialog {...props} />;
  if (action === "adjust") return <AdjustDialog {...props} />;
  if (action === "refund") return <RefundDialog payment={entry?.id ?? ""} onClose={onClose} done={done} />;
  return <SimpleDialog {...props} action={action} entry={entry} />;
}
