import type { OperatorCustomerResponse } from "@farline/contract/operator/customers.ts";
import type { TermName } from "@farline/domain/business/customer-terms.ts";
import { riskTiers } from "@farline/domain/calls/risk-tier.ts";
import { DAY_MS } from "@farline/domain/durations.ts";
import { useState } from "react";
import { Field } from "../../ui/forms/field.tsx";
import { consoleRequest } from "../console-request.ts";
import { ReasonDialog } from "../shell/reason-dialog.tsx";
import { SelectField } from "../shell/select-field.tsx";
import type { Done } from "./waiting-dialog.tsx";
import { TERM_LABELS } from "./term-labels.ts";
import { serviceNow } from "../../time/clock.ts";

const TIERS = riskTiers.map((tier) => [tier, tier] as const);
const DEFAULT_DAYS = 30;
const RETURNS = "earned";

interface TermDialogProps {
  readonly customer: OperatorCustomerResponse;
  readonly onClose: () => void;
  readonly done: Done;
}

/** Sets the tier or a limit until a day, or returns to what the customer has earned. */
export function TermDialog({ customer: { customer, terms }, onClose, done }: TermDialogProps) {
  const [name, setName] = useState<TermName>("tier");
  const [value, setValue] = useState("");
  const [returns, setReturns] = useState(false);
  const [until, setUntil] = useState(() => new Date(serviceNow() + DEFAULT_DAYS * DAY_MS).toISOString().slice(0, 10));
  const term = terms.find((one) => one.name === name);
  const isSet = term !== undefined && term.set !== null;
  const ends = returns && isSet;
  return (
    <ReasonDialog
      title={`Change a limit of ${customer.email}`}
      text="It takes effect with the next call and the next top-up, and ends by itself. Only finance and administrators can raise a limit."
      action="Change"
      onClose={onClose}
      onConfirm={async (reason) => {
        const change = ends ? { value: RETURNS } : { value: value || (term?.value ?? ""), until: `${until}T23:59:59.999Z` };
        const { proposal } = await consoleRequest("POST /api/operator/customers/:id/terms", {
          params: { id: customer.id },
          body: { name, reason, ...change },
        });
        done({ text: ends ? "What the customer has earned applies again." : "The limit is changed.", proposal });
      }}
    >
      <SelectField
        label="Limit"
        options={terms.map((one) => [one.name, `${TERM_LABELS[one.name]}: ${one.value}`] as const)}
        value={name}
        onChosen={(chosen) => {
          setName(chosen as TermName);
          setValue("");
        }}
      />
      {isSet && (
        <SelectField
          label="Change"
          options={[
            ["set", "Set another value"],
            [RETURNS, `End it now (set until ${term.set?.until.slice(0, 10)} by ${term.set?.by})`],
          ]}
          value={returns ? RETURNS : "set"}
          onChosen={(chosen) => setReturns(chosen === RETURNS)}
        />
      )}
      {!ends && name === "tier" && (
        <SelectField label="New tier" options={TIERS} value={value || term?.value} onChosen={setValue} />
      )}
      {!ends && name !== "tier" && (
        <Field
          label="New limit"
          inputMode="decimal"
          autoComplete="off"
          placeholder={term?.value}
          value={value}
          onValue={setValue}
        />
      )}
      {!ends && <Field label="Until the end of" type="date" hint="UTC" value={until} onValue={setUntil} />}
    </ReasonDialog>
  );
}
