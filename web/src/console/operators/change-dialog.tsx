import type { InvitationLinkResponse, ListedOperatorResponse } from "@farline/contract/operator/people.ts";
import type { OperatorRole } from "@farline/contract/operator/rights.ts";
import { useState } from "react";
import { consoleRequest } from "../console-request.ts";
import { ReasonDialog } from "../shell/reason-dialog.tsx";
import { LinkDialog } from "./link-dialog.tsx";
import { RoleField } from "./role-field.tsx";

/** What an administrator is about to change. */
export interface OperatorChange {
  readonly kind: "role" | "link" | "end-sessions" | "remove";
  readonly operator: ListedOperatorResponse;
}

const WORDS = {
  role: {
    title: "Change the role of",
    action: "Change role",
    text: "It takes effect with their next request. After a higher role they count as a second person a week later.",
  },
  link: {
    title: "New link for",
    action: "Make a link",
    text: "Their passkeys, password and sessions end now. The link is shown once, for 15 minutes; hand it over yourself.",
  },
  "end-sessions": {
    title: "End the sessions of",
    action: "End sessions",
    text: "They are signed out everywhere, command lines included.",
  },
  remove: { title: "Remove", action: "Remove", text: "They can no longer sign in. The record keeps their name." },
} as const;

interface ChangeDialogProps {
  readonly change: OperatorChange;
  readonly onDone: () => void;
  readonly onClose: () => void;
}

export function ChangeDialog({ change: { kind, operator }, onDone, onClose }: ChangeDialogProps) {
  const [role, setRole] = useState<OperatorRole>(operator.role);
  const [link, setLink] = useState<InvitationLinkResponse | null>(null);
  const params = { id: operator.id };
  const confirm = async (reason: string) => {
    if (kind === "link") {
      setLink(await consoleRequest("POST /api/operator/operators/:id/link", { params, body: { reason } }));
      return onDone();
    }
    if (kind === "role") await consoleRequest("PUT /api/operator/operators/:id/role", { params, body: { role, reason } });
    else await consoleRequest(`POST /api/operator/operators/:id/${kind}`, { params, body: { reason } });
    onDone();
    return onClose();
  };
  if (link !== null) return <LinkDialog link={link} onClose={onClose} />;
  const { title, action, text } = WORDS[kind];
  return (
    <ReasonDialog
      title={`${title} ${operator.name}`}
      text={text}
      action={action}
      ends={kind !== "role"}
      onClose={onClose}
      onConfirm={confirm}
    >
      {kind === "role" && <RoleField value={role} onChosen={setRole} />}
    </ReasonDialog>
  );
}
