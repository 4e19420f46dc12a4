import type { OperatorCustomerResponse } from "@farline/contract/operator/customers.ts";
import { fromDecimalString, smallerOf, toDecimalString } from "@farline/domain/money.ts";
import { dollarsToSend, readDollars } from "@farline/domain/typed/typed-dollars.ts";
import { useState } from "react";
import { ApiError } from "../../service/http.ts";
import { MoneyField } from "../../ui/forms/money-field.tsx";
import { consoleRequest } from "../console-request.ts";
import { ReasonDialog } from "../shell/reason-dialog.tsx";
import { SelectField } from "../shell/select-field.tsx";
import type { Done } from "./waiting-dialog.tsx";
import { MoneyPreview, UNREADABLE } from "./money-preview.tsx";
import { CheckBox } from "../shell/check-box.tsx";
import { useOnce } from "./use-once.ts";

const CHOOSE = ["", "Choose"] as const;
const DIRECTIONS = [
  ["add", "Add credit"],
  ["take", "Take credit"],
] as const;

interface AdjustDialogProps {
  readonly customer: OperatorCustomerResponse;
  readonly onClose: () => void;
  readonly done: Done;
}

export function AdjustDialog({ customer: { customer, money }, onClose, done }: AdjustDialogProps) {
  const [amount, setAmount] = useState("");
  const [direction, setDirection] = useState("");
  const once = useOnce();
  const take = direction === "take";
  const micros = amount.trim() === "" ? 0n : readDollars(amount);
  return (
    <ReasonDialog
      title={`Correct the credit of ${customer.email}`}
      text="The customer sees it as a correction on their account."
      action={direction === "" ? "Correct" : take ? "Take credit" : "Add credit"}
      onClose={onClose}
      onConfirm={async (reason) => {
        if (direction === "") throw new ApiError(422, "validation_failed", "Choose whether to add or to take credit.");
        if (micros === null) return;
        const { proposal } = await once.send((guard) =>
          consoleRequest(`POST /api/operator/customers/:id/${take ? "deduct" : "adjust"}`, {
            params: { id: customer.id },
            body: { amount: dollarsToSend(amount), reason, ...guard },
          }),
        );
        done({ text: take ? "The credit is taken." : "The credit is added.", proposal });
      }}
    >
      <SelectField
        label="Direction"
        options={direction === "" ? [CHOOSE, ...DIRECTIONS] : DIRECTIONS}
        value={direction}
        onChosen={setDirection}
      />
      <MoneyField label="Amount" error={micros === null ? UNREADABLE : undefined} value={amount} onValue={setAmount} />
      {micros !== null && direction !== "" && <MoneyPreview of={previewOf(money, micros, take)} />}
      {once.isRepeated && <CheckBox label="It is meant once more" checked={once.again} onCheck={once.setAgain} />}
    </ReasonDialog>
  );
}

function previewOf(money: OperatorCustomerResponse["money"], micros: bigint, take: boolean): Record<string, string | null> {
  const [balance, debt] = [fromDecimalString(money.balance), fromDecimalString(money.debt)];
  const repaid = take ? 0n : smallerOf(debt, micros);
  const after = take ? balance - micros : balance + micros - repaid;
  return {
    "Balance now": `$${money.balance}`,
    "Balance afterwards": `$${toDecimalString(after)}`,
    "Repays debt": repaid === 0n ? null : `$${toDecimalString(repaid)}`,
    "Can be taken": take ? `$${money.available}` : null,
    "You may move alone": `$${money.alone}`,
  };
}
