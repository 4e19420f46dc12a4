import type { InvitationLinkResponse } from "@farline/contract/operator/people.ts";
import type { OperatorRole } from "@farline/contract/operator/rights.ts";
import { useState } from "react";
import { useServiceForm } from "../../service/use-service-form.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialogs/dialog.tsx";
import { Field } from "../../ui/forms/field.tsx";
import { Form } from "../../ui/forms/form.tsx";
import { Banner } from "../../ui/messages/banner.tsx";
import { consoleRequest } from "../console-request.ts";
import * as styles from "../sign-in/sign-in.module.css";
import { LinkDialog } from "./link-dialog.tsx";
import { RoleField } from "./role-field.tsx";

interface InviteDialogProps {
  readonly onDone: () => void;
  readonly onClose: () => void;
}

/** Adds an operator, and shows the link for their sign-in. */
export function InviteDialog({ onDone, onClose }: InviteDialogProps) {
  const [role, setRole] = useState<OperatorRole>("support");
  const [link, setLink] = useState<InvitationLinkResponse | null>(null);
  const form = useServiceForm({
    empty: { name: "", email: "", reason: "" },
    send: async (values) => {
      setLink(await consoleRequest("POST /api/operator/operators", { body: { ...values, role } }));
      onDone();
    },
    fallback: "The operator could not be invited. Try again.",
    focusAtFirst: "name",
  });
  if (link !== null) return <LinkDialog link={link} onClose={onClose} />;
  return (
    <Dialog open onClose={onClose} title="Invite an operator">
      <Form className={styles.form} noValidate onSubmit={form.submit}>
        {form.failure !== null && <Banner kind="error">{form.failure}</Banner>}
        <Field label="Name" autoComplete="off" required {...form.field("name", { required: "Enter a name." })} />
        <Field
          label="Email"
          type="email"
          autoComplete="off"
          required
          {...form.field("email", { required: "Enter an email address." })}
        />
        <RoleField value={role} onChosen={setRole} />
        <Field
          label="Reason"
          hint="Kept in the record."
          autoComplete="off"
          required
          {...form.field("reason", { required: "Enter a reason." })}
        />
        <div className="row">
          <Button onClick={onClose}>Cancel</Button>
          <Button pair="action" type="submit" busy={form.busy}>
            Invite
          </Button>
        </div>
      </Form>
    </Dialog>
  );
}
