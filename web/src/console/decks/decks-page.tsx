import type { DeckResponse, DeckState } from "@farline/contract/operator/decks.ts";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "react-router";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { toast } from "../../ui/messages/toast.ts";
import { Badge } from "../../ui/status-badge.tsx";
import { consoleRequest } from "../console-request.ts";
import { useRight } from "../console-session.tsx";
import * as styles from "../console.module.css";
import { PROPOSALS } from "../queue/queue-kinds.ts";
import { OperationForm } from "../operation/operation-form.tsx";
import { Loaded } from "../shell/figures.tsx";
import { saidTime } from "../shell/texts.ts";
import { PageTitle } from "../shell/top-bar.tsx";
import { NOT_CHOSEN, type Start, StartField, startOf } from "./start-field.tsx";
import { Times } from "../shell/inline-parts.tsx";

/** Carriers' price lists, the newest first, and when each is active. */
export function DecksPage() {
  const mayChange = useRight("decks");
  const [change, setChange] = useState<DeckChange | null>(null);
  const list = useQuery({ queryKey: ["decks"], queryFn: () => consoleRequest("GET /api/operator/decks") });
  const Form = change === null ? null : FORMS[change.kind];
  return (
    <>
      <div className="spread head">
        <PageTitle title="Decks" />
        {mayChange && (
          <ButtonLink pair="action" to="/operator/decks/import">
            Import a price list
          </ButtonLink>
        )}
      </div>
      <Card>
        <Loaded of={list} failure="The decks could not be loaded">
          {({ decks, total }) => (
            <>
              {decks.length === 0 && <EmptyState title="There is no deck" text="Import a carrier's price list to sell calls." />}
              <ul className={styles.rows} aria-label="Decks">
                {decks.map((deck) => (
                  <DeckRow key={deck.id} deck={deck} mayChange={mayChange} onChange={setChange} />
                ))}
              </ul>
              {total > decks.length && <p className="small muted">{`The newest ${decks.length} of ${total} decks.`}</p>}
            </>
          )}
        </Loaded>
      </Card>
      {Form !== null && change !== null && <Form deck={change.deck} onClose={() => setChange(null)} />}
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
    <li className={styles.row} aria-label={name}>
      <div className={styles.head}>
        <span className={styles.title}>{name}</span>
        <Badge plain like={like}>
          {text}
        </Badge>
      </div>
      <div className={styles.facts}>
        <span>{trunk === null ? "prices that customers pay" : `costs of trunk ${trunk}`}</span>
        <span className="fig">{`${prices.toLocaleString("en")} prices`}</span>
        <span>
          <Times text={`stored ${storedAt}`} />
        </span>
        {proposal !== null && (
          <Link className="link" to={PROPOSALS}>
            awaiting approval
          </Link>
        )}
      </div>
      {activations.map((one) => (
        <div key={one.effective_at} className={styles.facts}>
          <span>
            <Times text={`${ACTIVATION_WORDS[one.state]} ${one.effective_at}`} />
          </span>
          <span>{`by ${one.operator}: ${one.reason}`}</span>
        </div>
      ))}
      {mayChange && (
        <div className={styles.actions}>
          {deck.goes_back_to !== null && (
            <Button size="sm" onClick={() => onChange({ kind: "roll-back", deck })} aria-label={`Roll back ${name}`}>
              Roll back
            </Button>
          )}
          {state !== "active" && (
            <Button size="sm" onClick={() => onChange({ kind: "activate", deck })} aria-label={`Activate ${name}`}>
              Activate
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
  active: ["active", "completed"],
  past: ["past", "cancelled"],
} as const satisfies Record<DeckState, readonly [string, string]>;

const ACTIVATION_WORDS = { scheduled: "from", active: "active since", past: "was active from" } as const;

/** What an operator wants to do with a deck. */
interface DeckChange {
  readonly kind: "activate" | "cancel" | "roll-back";
  readonly deck: DeckResponse;
}

interface DeckFormProps {
  readonly deck: DeckResponse;
  readonly onClose: () => void;
}

function ActivateForm({ deck: { id, name }, onClose }: DeckFormProps) {
  const [start, setStart] = useState<Start>(NOT_CHOSEN);
  const { at, problem } = startOf(start);
  return (
    <OperationForm
      operation="activate-deck"
      subject={id}
      title={`Activate ${name}`}
      input={{ at: at === "now" ? null : at }}
      problem={problem}
      onClose={onClose}
      onDone={({ activated }) => {
        if (activated !== null) toast.success(`${name} is active from ${saidTime(activated.effective_at)}.`);
        onClose();
      }}
    >
      <StartField start={start} onChange={setStart} />
    </OperationForm>
  );
}

function CancelForm({ deck: { id, name }, onClose }: DeckFormProps) {
  return (
    <OperationForm
      operation="cancel-deck"
      subject={id}
      title={`Cancel the start of ${name}`}
      text="The active deck stays active. The cancelled deck stays stored."
      action="Cancel the start"
      onClose={onClose}
      onDone={({ cancelled }) => {
        toast.success(`The start of ${name} on ${cancelled.map(saidTime).join(", ")} is cancelled.`);
        onClose();
      }}
    />
  );
}

/** Only a deck that replaced another can be rolled back. */
function RollBackForm({ deck, onClose }: DeckFormProps) {
  const { id, name, kind, trunk, goes_back_to: earlier } = deck;
  if (earlier === null) return null;
  return (
    <OperationForm
      operation="roll-back-deck"
      subject={null}
      title={`Roll back ${name}`}
      text={
        <Times
          text={
            `${kind === "sale" ? "Prices that customers pay" : `Costs of trunk ${trunk}`}: ${earlier.name}, active from ` +
            `${earlier.effective_at}, replaces ${name} at once, for calls that begin from now on. ` +
            "The next roll-back goes further back."
          }
        />
      }
      input={{ kind, trunk: trunk ?? undefined, from: id, to: earlier.id }}
      onClose={onClose}
      onDone={(back) => {
        toast.success(`${back.deck.name} is active again.`);
        onClose();
      }}
    />
  );
}

const FORMS = { activate: ActivateForm, cancel: CancelForm, "roll-back": RollBackForm } as const;
