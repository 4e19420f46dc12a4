import type { InvitationLinkResponse } from "@farline/contract/operator/people.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialogs/dialog.tsx";
import { Field } from "../../ui/forms/field.tsx";
import { timeText } from "../shell/time-text.ts";

interface LinkDialogProps {
  readonly link: InvitationLinkResponse;
  readonly onClose: () => void;
}

/** Shows an invitation's link, once. */
export function LinkDialog({ link, onClose }: LinkDialogProps) {
  return (
    <Dialog open onClose={onClose} title="Hand over this link" foot={<Button onClick={onClose}>Close</Button>}>
      <p className="muted">{`It works once, until ${timeText(link.expires_at)}. Anyone who opens it can sign in as this operator.`}</p>
      <Field label="Link" value={link.url} readOnly onFocus={(event) => event.target.select()} />
    </Dialog>
  );
}
