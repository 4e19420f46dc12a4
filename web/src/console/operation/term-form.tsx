import type { OperatorCustomerResponse } from "@farline/contract/operator/customers.ts";
import { termWords, tierWords, wordFor } from "@farline/contract/operator/words/words.ts";
import type { TermName } from "@farline/domain/business/customer-terms.ts";
import { riskTiers } from "@farline/domain/calls/risk-tier.ts";
import { DAY_MS } from "@farline/domain/durations.ts";
import { useState } from "react";
import { serviceNow } from "../../time/clock.ts";
import { Field } from "../../ui/forms/field.tsx";
import { toast } from "../../ui/messages/toast.ts";
import { SelectField } from "../shell/fields.tsx";
import { OperationForm } from "./operation-form.tsx";

const TIERS = riskTiers.map((tier) => [tier, tierWords[tier]] as const);
const DEFAULT_DAYS = 30;
const RETURNS = "earned";

interface TermFormProps {
  readonly customer: OperatorCustomerResponse;
  readonly onClose: () => void;
}

/** Sets the tier or a limit until a day, or returns to what the customer has earned. */
export function TermForm({ customer: { customer, terms }, onClose }: TermFormProps) {
  const [name, setName] = useState<TermName>("tier");
  const [value, setValue] = useState("");
  const [returns, setReturns] = useState(false);
  const [until, setUntil] = useState(() => new Date(serviceNow() + DEFAULT_DAYS * DAY_MS).toISOString().slice(0, 10));
  const term = terms.find((one) => one.name === name);
  const isSet = term !== undefined && term.set !== null;
  const ends = returns && isSet;
  const change = ends
    ? { value: RETURNS, until: undefined }
    : { value: value || (term?.value ?? ""), until: `${until}T23:59:59.999Z` };
  return (
    <OperationForm
      operation="set-term"
      subject={customer.id}
      title={`Change a limit of ${customer.email}`}
      text="It takes effect with the next call and the next top-up, and ends by itself. Only finance and administrators can raise a limit."
      action="Change"
      input={{ name, ...change }}
      onClose={onClose}
      onDone={() => {
        toast.success(ends ? "What the customer has earned applies again." : "The limit is changed.");
        onClose();
      }}
    >
      <SelectField
        label="Limit"
        options={terms.map(
          (one) =>
            [one.name, `${termWords[one.name]}: ${one.name === "tier" ? wordFor(tierWords, one.value) : one.value}`] as const,
        )}
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
        <SelectField label="New trust" options={TIERS} value={value || term?.value} onChosen={setValue} />
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
      {!ends && <Field label="Until the end of" type="date" autoComplete="off" hint="UTC" value={until} onValue={setUntil} />}
    </OperationForm>
  );
}
