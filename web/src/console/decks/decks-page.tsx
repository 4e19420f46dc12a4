import type { DeckResponse, DeckState } from "@farline/contract/operator/decks.ts";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "react-router";
import { Button, ButtonLink, Spinner } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { EmptyState, LoadFailure } from "../../ui/empty-state.tsx";
import { Badge } from "../../ui/status-badge.tsx";
import { consoleRequest } from "../console-request.ts";
import { useRight } from "../console-session.tsx";
import { usePageTitle } from "../shell/page-title.ts";
import { timeText } from "../shell/time-text.ts";
import { PROPOSALS } from "../queue/queue-address.ts";
import * as rows from "../shell/rows.module.css";
import { DeckDialog, type DeckChange } from "./deck-dialog.tsx";

/** Carriers' price lists, the newest first, and when each is in force. */
export function DecksPage() {
  usePageTitle("Decks");
  const client = useQueryClient();
  const mayChange = useRight("decks");
  const [change, setChange] = useState<DeckChange | null>(null);
  const list = useQuery({ queryKey: ["decks"], queryFn: () => consoleRequest("GET /api/operator/decks") });
  const decks = list.data?.decks ?? [];
  return (
    <>
      <div className="spread head">
        <h1 className="t-page">Decks</h1>
        {mayChange && (
          <ButtonLink pair="action" to="/operator/decks/import">
            Import a price list
          </ButtonLink>
        )}
      </div>
      <Card>
        {list.isPending && <Spinner />}
        {list.isError && <LoadFailure text="The decks could not be loaded" of={list} />}
        {list.isSuccess && decks.length === 0 && (
          <EmptyState title="There is no deck" text="Import a carrier's price list to sell calls." />
        )}
        <ul className={rows.rows} aria-label="Decks">
          {decks.map((deck) => (
            <DeckRow key={deck.id} deck={deck} mayChange={mayChange} onChange={setChange} />
          ))}
        </ul>
        {list.isSuccess && list.data.total > decks.length && (
          <p className="small muted">{`The newest ${decks.length} of ${list.data.total} decks.`}</p>
        )}
      </Card>
      {change !== null && (
        <DeckDialog
          change={change}
          onClose={() => setChange(null)}
          onDone={() => {
            setChange(null);
            void client.invalidateQueries();
          }}
        />
      )}
    </>
  );
}

interface DeckRowProps {
  readonly deck: DeckResponse;
  readonly mayChange: boolean;
  readonly onChange: (change: DeckChange) => void;
}

function DeckRow({ deck, mayChange, onChange }: DeckRowProps) {
  const { name, trunk, prices, stored_at: storedAt, state, activations, proposal } = deck;
  const isScheduled = activations.some((one) => one.state === "scheduled");
  const [text, like] = STATES[state];
  return (
    <li className={rows.row} aria-label={name}>
      <div className={rows.head}>
        <span className={rows.title}>{name}</span>
        <Badge plain like={like}>
          {text}
        </Badge>
      </div>
      <div className={rows.facts}>
        <span>{trunk === null ? "prices that customers pay" : `costs of trunk ${trunk}`}</span>
        <span className="fig">{`${prices.toLocaleString("en")} prices`}</span>
        <span>{`stored ${timeText(storedAt)}`}</span>
        {proposal !== null && (
          <Link className="link" to={PROPOSALS}>
            waits for a second operator
          </Link>
        )}
      </div>
      {activations.map((one) => (
        <div key={one.effective_at} className={rows.facts}>
          <span>{`${ACTIVATION_WORDS[one.state]} ${timeText(one.effective_at)}`}</span>
          <span>{`by ${one.operator}: ${one.reason}`}</span>
        </div>
      ))}
      {mayChange && (
        <div className={rows.actions}>
          {deck.goes_back_to !== null && (
            <Button size="sm" onClick={() => onChange({ kind: "roll-back", deck })} aria-label={`Roll back ${name}`}>
              Roll back
            </Button>
          )}
          {state !== "in_force" && (
            <Button size="sm" onClick={() => onChange({ kind: "activate", deck })} aria-label={`Put ${name} in force`}>
              Put in force
            </Button>
          )}
          {isScheduled && (
            <Button size="sm" onClick={() => onChange({ kind: "cancel", deck })} aria-label={`Cancel the start of ${name}`}>
              Cancel the start
            </Button>
          )}
        </div>
      )}
    </li>
  );
}

const STATES = {
  stored: ["stored", "cancelled"],
  proposed: ["proposed", "ringing"],
  scheduled: ["scheduled", "initiated"],
  in_force: ["in force", "completed"],
  past: ["past", "cancelled"],
} as const satisfies Record<DeckState, readonly [string, string]>;

const ACTIVATION_WORDS = { scheduled: "from", in_force: "in force since", past: "was in force from" } as const;
