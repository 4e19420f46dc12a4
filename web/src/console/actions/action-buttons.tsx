import { declarationOf, type OperationName } from "@farline/contract/operator/operations.ts";
import { Button } from "../../ui/button.tsx";
import * as rows from "../shell/rows.module.css";

interface ActionButtonsProps {
  readonly can: readonly OperationName[];
  /** What they are about, for a screen reader that reads the buttons alone. */
  readonly about: string;
  readonly onChosen: (action: OperationName) => void;
}

/** A button for each thing that the operator can do. */
export function ActionButtons({ can, about, onChosen }: ActionButtonsProps) {
  // Questions are answered in the queue.
  const here = can.filter((action) => declarationOf(action).subject !== "number");
  if (here.length === 0) return null;
  return (
    <div className={rows.actions}>
      {here.map((action) => {
        const { label } = declarationOf(action);
        return (
          <Button key={action} size="sm" aria-label={`${label}: ${about}`} onClick={() => onChosen(action)}>
            {label}
          </Button>
        );
      })}
    </div>
  );
}
