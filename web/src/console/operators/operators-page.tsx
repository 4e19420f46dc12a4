import { countText } from "@farline/contract/operator/words/count-text.ts";
import { declarationOf, type OperationName } from "@farline/contract/operator/operations.ts";
import type { InvitationLinkResponse, ListedOperatorResponse } from "@farline/contract/operator/people.ts";
import { roleWords } from "@farline/contract/operator/words/words.ts";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { Dialog } from "../../ui/dialogs/dialog.tsx";
import { LinkField } from "../../ui/forms/form-fields.tsx";
import { Badge } from "../../ui/status-badge.tsx";
import { consoleRequest } from "../console-request.ts";
import { useConsoleSession, useRight } from "../console-session.tsx";
import * as styles from "../console.module.css";
import { OperationForm } from "../operation/operation-form.tsx";
import { Loaded } from "../shell/figures.tsx";
import { PageTitle } from "../shell/top-bar.tsx";
import { Times } from "../shell/inline-parts.tsx";

/** What can be done about an operator. The link is fetched by the administrator who proposed it. */
type OnOperator = Extract<
  OperationName,
  "fetch-link" | "change-role" | "renew-invitation" | "end-operator-sessions" | "remove-operator"
>;

/** An operation that was chosen; an invitation is about nobody yet. */
type Chosen =
  | { readonly operation: "invite-operator"; readonly operator: null }
  | { readonly operation: OnOperator; readonly operator: ListedOperatorResponse };

/** Who runs the service; administrators change it here. */
export function OperatorsPage() {
  const mayChange = useRight("operators");
  const { operator: me } = useConsoleSession();
  const [chosen, setChosen] = useState<Chosen | null>(null);
  const list = useQuery({ queryKey: ["operators"], queryFn: () => consoleRequest("GET /api/operator/operators") });
  return (
    <>
      <div className="spread head">
        <PageTitle title="Operators" />
        {mayChange && (
          <Button pair="action" onClick={() => setChosen({ operation: "invite-operator", operator: null })}>
            Invite an operator
          </Button>
        )}
      </div>
      <Card>
        <Loaded of={list} failure="The operators could not be loaded">
          {({ operators }) => (
            <ul className={styles.rows}>
              {operators.map((one) => (
                <OperatorRow
                  key={one.id}
                  operator={one}
                  linkText={linkText(one, operators, me.id)}
                  can={mayChange ? operationsOn(one, me.id) : []}
                  onChosen={setChosen}
                />
              ))}
            </ul>
          )}
        </Loaded>
      </Card>
      {chosen !== null && <ChosenForm chosen={chosen} onClose={() => setChosen(null)} />}
    </>
  );
}

interface OperatorRowProps {
  readonly operator: ListedOperatorResponse;
  /** For whom a link waits; null without one. */
  readonly linkText: string | null;
  readonly can: readonly OnOperator[];
  readonly onChosen: (chosen: Chosen) => void;
}

function OperatorRow({ operator, linkText, can, onChosen }: OperatorRowProps) {
  const { name, email, role, sessions, created_at: since, second_person_from: from } = operator;
  return (
    <li className={styles.row}>
      <div className={styles.head}>
        <span className={styles.title}>{name}</span>
        <Badge plain>{roleWords[role]}</Badge>
      </div>
      <div className={styles.facts}>
        <span>{email}</span>
        <span>
          <Times text={wayOf(operator)} />
        </span>
        <span>{countText(sessions, "session")}</span>
        <span>
          <Times text={`since ${since}`} />
        </span>
        {linkText !== null && (
          <span>
            <Times text={linkText} />
          </span>
        )}
        {from !== null && (
          <span>
            <Times text={`counts as a second person from ${from}`} />
          </span>
        )}
      </div>
      {can.length > 0 && (
        <div className={styles.actions}>
          {can.map((operation) => (
            <Button
              key={operation}
              size="sm"
              {...(operation === "fetch-link" ? { pair: "action" } : {})}
              onClick={() => onChosen({ operation, operator })}
            >
              {declarationOf(operation).label}
            </Button>
          ))}
        </div>
      )}
    </li>
  );
}

/** Nobody changes themselves. */
function operationsOn({ id, link }: ListedOperatorResponse, me: string): OnOperator[] {
  if (id === me) return [];
  const fetch = link?.proposer === me ? (["fetch-link"] as const) : [];
  return [...fetch, "change-role", "renew-invitation", "end-operator-sessions", "remove-operator"];
}

/** Who may show the link of an operator whom two administrators let in. */
function linkText({ link }: ListedOperatorResponse, all: readonly ListedOperatorResponse[], me: string): string | null {
  if (link === null) return null;
  const proposer =
    link.proposer === me ? "you" : (all.find(({ id }) => id === link.proposer)?.name ?? "somebody who was removed");
  return `a link waits for ${proposer} until ${link.until}`;
}

/** What an operator can sign in with. */
function wayOf({ password, passkeys, link, invited_until: until }: ListedOperatorResponse): string {
  if (passkeys > 0) return passkeys === 1 ? "passkey" : `${passkeys} passkeys`;
  if (password) return "password and authenticator";
  if (link !== null) return "cannot sign in yet";
  return until === null ? "cannot sign in: needs a new link" : `invited until ${until}`;
}

/** Two of the operations answer with a link, which is shown once. */
function ChosenForm({ chosen: { operation, operator }, onClose }: { readonly chosen: Chosen; readonly onClose: () => void }) {
  const [link, setLink] = useState<InvitationLinkResponse | null>(null);
  if (link !== null) return <LinkDialog link={link} onClose={onClose} />;
  if (operator === null) return <OperationForm operation={operation} subject={null} onClose={onClose} onDone={setLink} />;
  const form = { subject: operator.id, title: `${declarationOf(operation).label}: ${operator.name}`, onClose };
  if (operation === "fetch-link") return <OperationForm operation={operation} {...form} action="Show it now" onDone={setLink} />;
  if (operation === "renew-invitation") return <OperationForm operation={operation} {...form} onDone={setLink} />;
  return <OperationForm operation={operation} {...form} initial={{ role: operator.role }} />;
}

interface LinkDialogProps {
  readonly link: InvitationLinkResponse;
  readonly onClose: () => void;
}

function LinkDialog({ link, onClose }: LinkDialogProps) {
  return (
    <Dialog open onClose={onClose} title="Hand over this link" foot={<Button onClick={onClose}>Close</Button>}>
      <p className="muted">
        <Times text={`It works once, until ${link.expires_at}. Anyone who opens it can sign in as this operator.`} />
      </p>
      <LinkField label="Link" value={link.url} />
    </Dialog>
  );
}
