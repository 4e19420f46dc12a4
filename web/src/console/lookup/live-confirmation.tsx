import type { LiveCall } from "@farline/contract/operator/live-calls.ts";
import { useState } from "react";
import { hangUpInput } from "../operation/customer-operation.tsx";
import { OperationForm } from "../operation/operation-form.tsx";
import { SelectField } from "../shell/fields.tsx";
import { Numbers } from "../shell/inline-parts.tsx";

/** What the operator has to confirm. */
export type Asked = HangUp | { readonly ends: "customer"; readonly call: LiveCall } | { readonly ends: "exchange" };
type HangUp =
  | { readonly ends: "call"; readonly call: LiveCall }
  | { readonly ends: "all"; readonly customer?: string; readonly prefix?: string; readonly calls: number };

interface ConfirmationProps {
  readonly asked: Asked;
  readonly exchanges: readonly string[];
  readonly onClose: () => void;
}

/** The form of what ends calls, with the name and the effect. */
export function Confirmation({ asked, exchanges, onClose }: ConfirmationProps) {
  if (asked.ends === "exchange") return <SettleLostForm exchanges={exchanges} onClose={onClose} />;
  if (asked.ends === "customer") {
    const { name, email, customer_id: customer } = asked.call;
    return (
      <OperationForm
        operation="freeze"
        subject={customer}
        title={`Freeze ${name}`}
        text={`${email} can make no calls, top-ups or withdrawals until the account is unfrozen. Their live calls end within 10 seconds.`}
        onClose={onClose}
      />
    );
  }
  const { title, text, which } = wordsOf(asked);
  return (
    <OperationForm
      operation="hang-up"
      subject={null}
      title={title}
      text={<Numbers text={`${text} Talk time so far is charged.`} />}
      input={hangUpInput(which)}
      onClose={onClose}
    />
  );
}

function wordsOf(asked: HangUp) {
  if (asked.ends === "call") {
    const { id, name, destination } = asked.call;
    return {
      title: `Hang up ${name}`,
      text: `The call of ${name} to ${destination} ends within seconds.`,
      which: { call: id },
    };
  }
  const { calls, customer, prefix } = asked;
  if (customer !== undefined)
    return {
      title: "Hang up all their calls",
      text: `All live calls of this customer (${calls}) end within seconds.`,
      which: { customer },
    };
  const text = `All live calls to numbers that begin with ${prefix} (${calls}) end within seconds, whoever makes them.`;
  return { title: `Hang up all calls to ${prefix}`, text, which: { prefix: prefix ?? "" } };
}

interface SettleLostFormProps {
  readonly exchanges: readonly string[];
  readonly onClose: () => void;
}

/** Ends what an exchange that is gone has left open, so that its callers can call again. */
function SettleLostForm({ exchanges, onClose }: SettleLostFormProps) {
  const [exchange, setExchange] = useState(exchanges[0] ?? "");
  return (
    <OperationForm
      operation="settle-lost-exchange"
      subject={exchange}
      text="Each of its calls ends at its last proof of life, and nothing after that is charged. It is refused while the exchange answers."
      action="Settle"
      onClose={onClose}
    >
      <SelectField
        label="Exchange"
        options={exchanges.map((name) => [name, name] as const)}
        value={exchange}
        onChosen={setExchange}
      />
    </OperationForm>
  );
}
