import { Field } from "../../ui/forms/field.tsx";
import { LAST_MINUTE, SelectField } from "../shell/fields.tsx";

/** When a deck begins, as chosen; "" until it is. Its time is `2026-12-01T08:00` in UTC. */
export interface Start {
  readonly kind: "" | "now" | "time" | "never";
  readonly time: string;
}

/** Nothing is assumed. */
export const NOT_CHOSEN: Start = { kind: "", time: "" };

interface StartFieldProps {
  readonly start: Start;
  /** Whether the deck may also be stored without a time. */
  readonly orNever?: boolean;
  readonly onChange: (start: Start) => void;
}

/** Asks when a deck is to be active. */
export function StartField({ start, orNever = false, onChange }: StartFieldProps) {
  return (
    <>
      <SelectField
        label="Active from"
        value={start.kind}
        hint="Calls that begin from then on follow it. A live service leaves five minutes to cancel."
        options={[
          ...(start.kind === "" ? ([["", "Choose"]] as const) : []),
          ["now", "now"],
          ["time", "a time"],
          ...(orNever ? ([["never", "not yet"]] as const) : []),
        ]}
        onChosen={(kind) => onChange({ ...start, kind: kind as Start["kind"] })}
      />
      {start.kind === "time" && (
        <Field
          label="Time in UTC"
          type="datetime-local"
          max={LAST_MINUTE}
          autoComplete="off"
          required
          value={start.time}
          onValue={(time) => onChange({ ...start, time })}
        />
      )}
    </>
  );
}

/** For a request: `now`, an ISO time, or null if the deck is only stored. `problem`: what is still to be chosen. */
export function startOf({ kind, time }: Start): { readonly at: string | null; readonly problem: string | null } {
  if (kind === "") return { at: null, problem: "Choose from when it is active." };
  if (kind !== "time") return { at: kind === "now" ? "now" : null, problem: null };
  const at = new Date(`${time}Z`);
  if (Number.isNaN(at.getTime())) return { at: null, problem: "Enter the time from which it is active." };
  return { at: at.toISOString(), problem: null };
}
