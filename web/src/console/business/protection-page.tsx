import type { BreakerResponse } from "@farline/contract/operator/business.ts";
import { sumText } from "@farline/contract/operator/words/money-words.ts";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import * as styles from "../console.module.css";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { consoleRequest } from "../console-request.ts";
import { useRight } from "../console-session.tsx";
import { OperationForm } from "../operation/operation-form.tsx";
import { Loaded } from "../shell/figures.tsx";
import { PageTitle } from "../shell/top-bar.tsx";
import { Times } from "../shell/inline-parts.tsx";

type Chosen = { readonly lift: string } | { readonly callerId: "block-caller-number" | "unblock-caller-number" };

/** What stops calls against fraud: breakers, which trip by themselves, and caller ids that no account may show. */
export function ProtectionPage() {
  const [mayRelease, mayReadCosts] = [useRight("release"), useRight("read-costs")];
  const [chosen, setChosen] = useState<Chosen | null>(null);
  const close = () => setChosen(null);
  return (
    <div className="stack">
      <PageTitle title="Protection" />
      {mayReadCosts && <Breakers onLift={mayRelease ? (lift) => setChosen({ lift }) : null} />}
      <Card title="Caller ids" className="stack">
        <p className="muted">
          Block a number whose owner complains that it is shown. Whether an account has it is found by Search.
        </p>
        <div className="row">
          <Button onClick={() => setChosen({ callerId: "block-caller-number" })}>Block a caller ID</Button>
          {mayRelease && <Button onClick={() => setChosen({ callerId: "unblock-caller-number" })}>Unblock a caller ID</Button>}
        </div>
      </Card>
      {chosen !== null && "lift" in chosen && <OperationForm operation="lift-breaker" subject={chosen.lift} onClose={close} />}
      {chosen !== null && "callerId" in chosen && <OperationForm operation={chosen.callerId} subject={null} onClose={close} />}
    </div>
  );
}

interface BreakersProps {
  /** Null for those who only read. */
  readonly onLift: ((breaker: string) => void) | null;
}

function Breakers({ onLift }: BreakersProps) {
  const list = useQuery({ queryKey: ["breakers"], queryFn: () => consoleRequest("GET /api/operator/breakers") });
  return (
    <Card title="Breakers" className="stack">
      <Loaded of={list} failure="The breakers could not be loaded">
        {({ spent, breakers }) => (
          <>
            <p>{`Carriers have taken ${sumText(spent)} since midnight UTC.`}</p>
            {breakers.length === 0 && <p className="muted">No breaker has tripped.</p>}
            <ul className={styles.rows} aria-label="Breakers">
              {breakers.map((one) => (
                <BreakerRow key={one.id} breaker={one} onLift={onLift && (() => onLift(one.id))} />
              ))}
            </ul>
          </>
        )}
      </Loaded>
    </Card>
  );
}

interface BreakerRowProps {
  readonly breaker: BreakerResponse;
  /** Null for those who only read. */
  readonly onLift: (() => void) | null;
}

function BreakerRow({ breaker: { kind, text, until, lifted_at: lifted }, onLift }: BreakerRowProps) {
  // A note stops nothing.
  const canLift = onLift !== null && lifted === null && kind !== "spend_note";
  return (
    <li className={styles.row}>
      <span className={styles.title}>{text}</span>
      <div className={styles.facts}>
        <span>
          <Times text={lifted === null ? `until ${until}` : `lifted ${lifted}`} />
        </span>
      </div>
      {canLift && (
        <div className={styles.actions}>
          <Button size="sm" aria-label={`Allow these calls again: ${text}`} onClick={onLift}>
            Allow these calls again
          </Button>
        </div>
      )}
    </li>
  );
}
