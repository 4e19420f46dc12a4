import type { InvitationLinkResponse, ListedOperatorResponse } from "@farline/contract/operator/people.ts";
import { useMutation } from "@tanstack/react-query";
import { messageOf, wasCancelled } from "../../service/http.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialogs/dialog.tsx";
import { Field } from "../../ui/forms/field.tsx";
import { Banner } from "../../ui/messages/banner.tsx";
import { consoleRequest } from "../console-request.ts";
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

interface FetchDialogProps {
  readonly operator: ListedOperatorResponse;
  readonly onDone: () => void;
  readonly onClose: () => void;
}

/** Fetches the link that this administrator proposed and another one confirmed. It is made at this moment, so it is asked for first. */
export function FetchDialog({ operator, onDone, onClose }: FetchDialogProps) {
  const fetching = useMutation({
    mutationFn: () =>
      consoleRequest("POST /api/operator/operators/:id/link/fetch", {
        params: { id: operator.id },
        body: { reason: "Link fetched" },
      }),
    onSuccess: onDone,
  });
  if (fetching.data !== undefined) return <LinkDialog link={fetching.data} onClose={onClose} />;
  return (
    <Dialog
      open
      onClose={onClose}
      title={`Show the link for ${operator.name}`}
      foot={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button pair="action" busy={fetching.isPending} onClick={() => fetching.mutate()}>
            Show it now
          </Button>
        </>
      }
    >
      {fetching.isError && !wasCancelled(fetching.error) && (
        <Banner kind="error">{messageOf(fetching.error, "The link could not be made. Try again.")}</Banner>
      )}
      <p className="muted">{`It is shown once and works for 15 minutes, so have ${operator.name} ready. They count as a second person a week later.`}</p>
    </Dialog>
  );
}
