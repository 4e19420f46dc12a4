import type { ListedOperatorResponse } from "@farline/contract/operator/people.ts";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Button, Spinner } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { LoadFailure } from "../../ui/empty-state.tsx";
import { Badge } from "../../ui/status-badge.tsx";
import { consoleRequest } from "../console-request.ts";
import { useConsoleSession, useRight } from "../console-session.tsx";
import { usePageTitle } from "../shell/page-title.ts";
import { timeText } from "../shell/time-text.ts";
import * as rows from "../shell/rows.module.css";
import { FetchDialog } from "./link-dialog.tsx";
import { ChangeDialog, type OperatorChange } from "./change-dialog.tsx";
import { InviteDialog } from "./invite-dialog.tsx";

const OPERATORS = ["operators"];

/** Who runs the service; administrators change it here. */
export function OperatorsPage() {
  usePageTitle("Operators");
  const client = useQueryClient();
  const mayChange = useRight("operators");
  const { operator: me } = useConsoleSession();
  const [inviting, setInviting] = useState(false);
  const [change, setChange] = useState<OperatorChange | null>(null);
  const [fetching, setFetching] = useState<ListedOperatorResponse | null>(null);
  const list = useQuery({ queryKey: OPERATORS, queryFn: () => consoleRequest("GET /api/operator/operators") });
  const readAgain = () => void client.invalidateQueries({ queryKey: OPERATORS });
  return (
    <>
      <div className="spread head">
        <h1 className="t-page">Operators</h1>
        {mayChange && (
          <Button pair="action" onClick={() => setInviting(true)}>
            Invite an operator
          </Button>
        )}
      </div>
      <Card>
        {list.isPending && <Spinner />}
        {list.isError && <LoadFailure text="The operators could not be loaded" of={list} />}
        {list.isSuccess && (
          <ul className={rows.rows}>
            {list.data.operators.map((one) => (
              <OperatorRow
                key={one.id}
                operator={one}
                linkText={linkText(one, list.data.operators, me.id)}
                onFetch={mayChange && one.link?.proposer === me.id ? () => setFetching(one) : null}
                onChange={mayChange && one.id !== me.id ? setChange : null}
              />
            ))}
          </ul>
        )}
      </Card>
      {fetching !== null && <FetchDialog operator={fetching} onDone={readAgain} onClose={() => setFetching(null)} />}
      {inviting && <InviteDialog onDone={readAgain} onClose={() => setInviting(false)} />}
      {change !== null && <ChangeDialog change={change} onDone={readAgain} onClose={() => setChange(null)} />}
    </>
  );
}

interface OperatorRowProps {
  readonly operator: ListedOperatorResponse;
  /** For whom a link waits; null without one. */
  readonly linkText: string | null;
  /** Null for everybody but the link's proposer. */
  readonly onFetch: (() => void) | null;
  /** Null for oneself, and for who may not change others. */
  readonly onChange: ((change: OperatorChange) => void) | null;
}

function OperatorRow({ operator, linkText, onFetch, onChange }: OperatorRowProps) {
  const { name, email, role, sessions, created_at: since, second_person_from: from } = operator;
  return (
    <li className={rows.row}>
      <div className={rows.head}>
        <span className={rows.title}>{name}</span>
        <Badge plain>{role}</Badge>
      </div>
      <div className={rows.facts}>
        <span>{email}</span>
        <span>{wayOf(operator)}</span>
        <span>{sessions === 1 ? "1 session" : `${sessions} sessions`}</span>
        <span>{`since ${timeText(since)}`}</span>
        {linkText !== null && <span>{linkText}</span>}
        {from !== null && <span>{`counts as a second person from ${timeText(from)}`}</span>}
      </div>
      {onChange !== null && (
        <div className={rows.actions}>
          {onFetch !== null && (
            <Button pair="action" size="sm" onClick={onFetch}>
              Show the link
            </Button>
          )}
          <Button size="sm" onClick={() => onChange({ kind: "role", operator })}>
            Change role
          </Button>
          <Button size="sm" onClick={() => onChange({ kind: "link", operator })}>
            New link
          </Button>
          <Button size="sm" onClick={() => onChange({ kind: "end-sessions", operator })}>
            End sessions
          </Button>
          <Button size="sm" onClick={() => onChange({ kind: "remove", operator })}>
            Remove
          </Button>
        </div>
      )}
    </li>
  );
}

/** Who may show the link of an operator whom two administrators let in. */
function linkText({ link }: ListedOperatorResponse, all: readonly ListedOperatorResponse[], me: string): string | null {
  if (link === null) return null;
  const proposer =
    link.proposer === me ? "you" : (all.find(({ id }) => id === link.proposer)?.name ?? "somebody who was removed");
  return `a link waits for ${proposer} until ${timeText(link.until)}`;
}

/** What an operator can sign in with. */
function wayOf({ password, passkeys, link, invited_until: until }: ListedOperatorResponse): string {
  if (passkeys > 0) return passkeys === 1 ? "passkey" : `${passkeys} passkeys`;
  if (password) return "password and authenticator";
  if (link !== null) return "cannot sign in yet";
  return until === null ? "cannot sign in: needs a new link" : `invited until ${timeText(until)}`;
}
