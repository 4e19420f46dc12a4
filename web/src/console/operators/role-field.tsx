import type { OperatorRole } from "@farline/contract/operator/rights.ts";
import { SelectField } from "../shell/select-field.tsx";

const ROLES = {
  support: "support: read, freeze, answer, small refunds",
  finance: "finance: also money, exports and the record",
  admin: "admin: also decks, settings and operators",
} as const satisfies Record<OperatorRole, string>;

interface RoleFieldProps {
  readonly value: OperatorRole;
  readonly onChosen: (role: OperatorRole) => void;
}

export function RoleField({ value, onChosen }: RoleFieldProps) {
  return (
    <SelectField label="Role" value={value} options={Object.entries(ROLES)} onChosen={(role) => onChosen(role as OperatorRole)} />
  );
}
