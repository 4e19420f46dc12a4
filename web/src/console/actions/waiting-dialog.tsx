import { Link } from "react-router";
import { Button, buttonClass } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialogs/dialog.tsx";
import { PROPOSALS } from "../queue/queue-address.ts";
import * as styles from "./actions.module.css";

/** Tells the dialog that an action is done. `proposal`: nothing was moved, a second operator must confirm it. */
export type Done = (outcome: { readonly text: string; readonly proposal?: string | null }) => void;

/** Says that an amount is above what one operator may move alone. */
export function WaitingDialog({ onClose }: { readonly onClose: () => void }) {
  return (
    <Dialog open onClose={onClose} title="It waits for a second operator">
      <div className={styles.waiting}>
        <p>Nothing has changed yet. You may not do this alone, so another operator must confirm it within a day.</p>
        <div className="row">
          <Button onClick={onClose}>Close</Button>
          <Link className={buttonClass({ pair: "action" })} to={PROPOSALS}>
            See the proposals
          </Link>
        </div>
      </div>
    </Dialog>
  );
}
