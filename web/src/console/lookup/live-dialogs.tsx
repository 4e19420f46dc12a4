import type { LiveCall } from "@farline/contract/operator/live-calls.ts";
import { hungUp } from "@farline/contract/operator/operations.ts";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { toast } from "../../ui/messages/toast.ts";
import { consoleRequest } from "../console-request.ts";
import { ReasonDialog } from "../shell/reason-dialog.tsx";
import { SelectField } from "../shell/select-field.tsx";

/** What is hung up: one call, or all of a customer or to a prefix. */
export type Ending =
  | { readonly call: LiveCall }
  | { readonly call?: undefined; readonly customer?: string; readonly prefix?: string; readonly calls: number };

interface HangUpDialogProps {
  readonly ending: Ending;
  readonly onClose: () => void;
}

export function HangUpDialog({ ending, onClose }: HangUpDialogProps) {
  const client = useQueryClient();
  const { title, text, which } = wordsOf(ending);
  return (
    <ReasonDialog
      title={title}
      text={`${text} Talk time so far is charged.`}
      action="Hang up"
      ends
      onClose={onClose}
      onConfirm={async (reason) => {
        const { ended } = await consoleRequest("POST /api/operator/calls/hang-up", { body: { ...which, reason } });
        toast.success(hungUp(ended));
        onClose();
        await client.invalidateQueries({ queryKey: ["live-calls"] });
      }}
    />
  );
}

function wordsOf(ending: Ending) {
  if (ending.call !== undefined) {
    const { id, email, destination } = ending.call;
    return {
      title: "Hang up this call",
      text: `The call of ${email} to ${destination} ends within seconds.`,
      which: { call: id },
    };
  }
  const { calls, customer, prefix } = ending;
  if (customer !== undefined)
    return {
      title: "Hang up all their calls",
      text: `All live calls of this customer (${calls}) end within seconds.`,
      which: { customer },
    };
  const text = `All live calls to numbers that begin with ${prefix} (${calls}) end within seconds, whoever makes them.`;
  return { title: `Hang up all calls to ${prefix}`, text, which: { prefix } };
}

interface SettleLostDialogProps {
  readonly exchanges: readonly string[];
  readonly onClose: () => void;
}

/** Ends what an exchange that is gone has left open, so that its callers can call again. */
export function SettleLostDialog({ exchanges, onClose }: SettleLostDialogProps) {
  const client = useQueryClient();
  const [exchange, setExchange] = useState(exchanges[0] ?? "");
  return (
    <ReasonDialog
      title="Settle the calls of a lost exchange"
      text="Each of its calls ends at its last proof of life, and nothing after that is charged. It is refused while the exchange answers."
      action="Settle"
      ends
      onClose={onClose}
      onConfirm={async (reason) => {
        const { settled } = await consoleRequest("POST /api/operator/exchanges/:exchange/settle-lost", {
          params: { exchange },
          body: { reason },
        });
        toast.success(settled === 1 ? "1 call is settled." : `${settled} calls are settled.`);
        onClose();
        await client.invalidateQueries({ queryKey: ["live-calls"] });
      }}
    >
      <SelectField
        label="Exchange"
        options={exchanges.map((name) => [name, name] as const)}
        value={exchange}
        onChosen={setExchange}
      />
    </ReasonDialog>
  );
}
