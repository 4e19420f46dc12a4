import type { RefundPreview } from "@farline/contract/operator/customers.ts";
import { toDecimalString } from "@farline/domain/money.ts";
import { readDollars } from "@farline/domain/typed/typed-dollars.ts";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useDeferredValue, useState } from "react";
import { messageOf } from "../../service/http.ts";
import { MoneyField } from "../../ui/forms/money-field.tsx";
import { Banner } from "../../ui/messages/banner.tsx";
import { Spinner } from "../../ui/waiting/spinner.tsx";
import { consoleRequest } from "../console-request.ts";
import { ReasonDialog } from "../shell/reason-dialog.tsx";
import type { Done } from "./waiting-dialog.tsx";
import { MoneyPreview, UNREADABLE } from "./money-preview.tsx";
import { CheckBox } from "../shell/check-box.tsx";
import { useOnce } from "./use-once.ts";

interface RefundDialogProps {
  /** Id of the payment. */
  readonly payment: string;
  readonly onClose: () => void;
  readonly done: Done;
}

export function RefundDialog({ payment, onClose, done }: RefundDialogProps) {
  const [amount, setAmount] = useState("");
  const [force, setForce] = useState(false);
  const once = useOnce();
  const params = { id: payment };
  const wanted = orderOf(amount);
  const previewed = useDeferredValue(amount);
  const query = orderOf(previewed);
  const preview = useQuery({
    queryKey: ["refund", payment, query],
    queryFn: () => consoleRequest("GET /api/operator/payments/:id/refund", { params, query: query ?? {} }),
    placeholderData: keepPreviousData,
    enabled: query !== null,
  });
  const isReadable = wanted !== null && query !== null;
  const isSpent = isReadable && preview.data !== undefined && Number(preview.data.debt) > 0;
  return (
    <ReasonDialog
      title="Refund the payment"
      text="The money goes back to the card or account that paid. An empty amount is all that is left of the payment."
      action="Refund"
      onClose={onClose}
      onConfirm={async (reason) => {
        if (wanted === null) return;
        const body = { ...wanted, force: force && isSpent, reason };
        const { proposal, failure } = await once.send((guard) =>
          consoleRequest("POST /api/operator/payments/:id/refund", { params, body: { ...body, ...guard } }),
        );
        const refused = `The payment provider refused: ${failure} The credit is back on the account.`;
        done({ text: failure === null ? "The refund is on its way." : refused, proposal });
      }}
    >
      <MoneyField label="Amount" error={wanted === null ? UNREADABLE : undefined} value={amount} onValue={setAmount} />
      {isReadable && preview.isPending && <Spinner />}
      {isReadable && preview.isError && (
        <Banner kind="error">{messageOf(preview.error, "What the refund would do could not be loaded.")}</Banner>
      )}
      {isReadable && preview.isSuccess && <MoneyPreview of={previewOf(preview.data)} />}
      {isSpent && (
        <CheckBox label={`$${preview.data.debt} is spent already: let it become a debt`} checked={force} onCheck={setForce} />
      )}
      {once.isRepeated && <CheckBox label="It is meant once more" checked={once.again} onCheck={once.setAgain} />}
    </ReasonDialog>
  );
}

/** An empty amount is everything that is left. Null for anything but an amount above zero. */
function orderOf(typed: string): { readonly amount?: string } | null {
  if (typed.trim() === "") return {};
  const micros = readDollars(typed);
  return micros === null || micros === 0n ? null : { amount: toDecimalString(micros) };
}

function previewOf({ payment, amount, left, unspent, kept, debt, alone }: RefundPreview): Record<string, string | null> {
  return {
    "Goes back": `$${amount}${payment.method === "" ? "" : ` to ${payment.method}`}`,
    "Left of the payment": `$${left} of $${payment.amount}`,
    "Unspent credit": `$${unspent}`,
    "Kept for spent bonus": Number(kept) === 0 ? null : `$${kept}`,
    "Becomes a debt": Number(debt) === 0 ? null : `$${debt}`,
    "You may move alone": `$${alone}`,
  };
}
