import type { OperatorAction } from "@farline/contract/operator/customers.ts";
import { Button } from "../../ui/button.tsx";
import * as rows from "../shell/rows.module.css";
import { ACTION_LABELS, isActionHere, type ActionHere } from "./action-words.ts";

interface ActionButtonsProps {
  readonly can: readonly OperatorAction[];
  /** What they are about, for a screen reader that reads the buttons alone. */
  readonly about: string;
  readonly onChosen: (action: ActionHere) => void;
}

/** A button for each thing that the operator can do. */
export function ActionButtons({ can, about, onChosen }: ActionButtonsProps) {
  const here = can.filter(isActionHere);
  if (here.length === 0) return null;
  return (
    <div className={rows.actions}>
      {here.map((action) => (
        <Button key={action} size="sm" aria-label={`${ACTION_LABELS[action]}: ${about}`} onClick={() => onChosen(action)}>
          {ACTION_LABELS[action]}
        </Button>
      ))}
    </div>
  );
}
