import type { DeckResponse } from "@farline/contract/operator/decks.ts";
import { useState } from "react";
import { ApiError } from "../../service/http.ts";
import { toast } from "../../ui/messages/toast.ts";
import { consoleRequest } from "../console-request.ts";
import { ReasonDialog } from "../shell/reason-dialog.tsx";
import { timeText } from "../shell/time-text.ts";
import { NOT_CHOSEN, StartField, startOf, type Start } from "./start-field.tsx";

/** What an operator wants to do with a deck. */
export interface DeckChange {
  readonly kind: "activate" | "cancel" | "roll-back";
  readonly deck: DeckResponse;
}

interface DeckDialogProps {
  readonly change: DeckChange;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

/** Asks for the reason, and for the time when a deck is put in force. */
export function DeckDialog({ change: { kind, deck }, onClose, onDone }: DeckDialogProps) {
  const [start, setStart] = useState<Start>(NOT_CHOSEN);
  const { id, name, kind: listKind, trunk, goes_back_to: earlier } = deck;
  const confirm = async (reason: string): Promise<void> => {
    if (kind === "cancel") {
      const { cancelled } = await consoleRequest("POST /api/operator/decks/:id/cancel", { params: { id }, body: { reason } });
      toast.success(`The start of ${name} on ${cancelled.map(timeText).join(", ")} is cancelled.`);
    } else if (kind === "roll-back") {
      if (earlier === null) throw new ApiError(422, "validation_failed", "No other deck was in force before.");
      const what = { kind: listKind, trunk: trunk ?? undefined };
      const back = await consoleRequest("POST /api/operator/decks/roll-back", {
        body: { ...what, from: id, to: earlier.id, reason },
      });
      toast.success(`${back.deck.name} is in force again.`);
    } else {
      const at = startOf(start);
      const { activated, proposal } = await consoleRequest("POST /api/operator/decks/:id/activate", {
        params: { id },
        body: { at: at === "now" ? null : at, reason },
      });
      if (proposal !== null) toast.info("The prices are unusual. Another operator must confirm them in the queue.");
      else if (activated !== null) toast.success(`${name} is in force from ${timeText(activated.effective_at)}.`);
    }
    onDone();
  };
  return (
    <ReasonDialog {...TEXTS[kind](deck)} ends={kind !== "activate"} onClose={onClose} onConfirm={confirm}>
      {kind === "activate" && <StartField start={start} onChange={setStart} />}
    </ReasonDialog>
  );
}

const TEXTS = {
  activate: ({ name }: DeckResponse) => ({
    title: `Put ${name} in force`,
    text: "Calls that begin after this time follow its prices. A live service leaves five minutes to cancel. Unusual prices wait for a second operator.",
    action: "Put in force",
  }),
  cancel: ({ name }: DeckResponse) => ({
    title: `Cancel the start of ${name}`,
    text: "The deck that is in force stays in force. The cancelled deck stays stored.",
    action: "Cancel the start",
  }),
  "roll-back": ({ name, kind, trunk, goes_back_to: earlier }: DeckResponse) => ({
    title: `Roll back ${name}`,
    text:
      `${kind === "sale" ? "Prices that customers pay" : `Costs of trunk ${trunk}`}: ${earlier?.name}, in force from ` +
      `${earlier === null ? "" : timeText(earlier.effective_at)}, replaces ${name} at once, for calls that begin from now on. ` +
      "The next roll-back goes further back.",
    action: "Roll back",
  }),
};
