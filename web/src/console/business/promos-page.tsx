import type { PromoResponse } from "@farline/contract/operator/business.ts";
import { sumText } from "@farline/contract/operator/words/money-words.ts";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import * as styles from "../console.module.css";
import { serviceNow } from "../../time/clock.ts";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { Badge } from "../../ui/status-badge.tsx";
import { consoleRequest } from "../console-request.ts";
import { useRight } from "../console-session.tsx";
import { OperationForm } from "../operation/operation-form.tsx";
import { Loaded } from "../shell/figures.tsx";
import { PageTitle } from "../shell/top-bar.tsx";
import { Times } from "../shell/inline-parts.tsx";

/** Promo codes, the newest first: what a top-up gets, until when, and what was promised. */
export function PromosPage() {
  const mayChange = useRight("promotions");
  /** Null for a new code. */
  const [chosen, setChosen] = useState<{ readonly code: string | null } | null>(null);
  const list = useQuery({ queryKey: ["promos"], queryFn: () => consoleRequest("GET /api/operator/promos") });
  const close = () => setChosen(null);
  return (
    <>
      <div className="spread head">
        <PageTitle title="Promo codes" />
        {mayChange && (
          <Button pair="action" onClick={() => setChosen({ code: null })}>
            Start a promo code
          </Button>
        )}
      </div>
      <Card>
        <Loaded of={list} failure="The promo codes could not be loaded">
          {({ promos }) => (
            <>
              {promos.length === 0 && <EmptyState title="There is no promo code" />}
              <ul className={styles.rows} aria-label="Promo codes">
                {promos.map((promo) => (
                  <PromoRow key={promo.code} promo={promo} onEnd={mayChange ? () => setChosen({ code: promo.code }) : null} />
                ))}
              </ul>
            </>
          )}
        </Loaded>
      </Card>
      {chosen?.code === null && <OperationForm operation="create-promo" subject={null} onClose={close} />}
      {chosen !== null && chosen.code !== null && (
        <OperationForm operation="end-promo" subject={chosen.code} title={`End ${chosen.code}`} onClose={close} />
      )}
    </>
  );
}

interface PromoRowProps {
  readonly promo: PromoResponse;
  /** Null for those who only read. */
  readonly onEnd: (() => void) | null;
}

function PromoRow({ promo, onEnd }: PromoRowProps) {
  const { code, offer, starts_at: start, ends_at: end, ended_at: ended, uses, most_uses: most, promised, budget } = promo;
  const [state, like] = stateOf(promo, serviceNow());
  return (
    <li className={styles.row} aria-label={code}>
      <div className={styles.head}>
        <span className={styles.title}>{code}</span>
        <Badge plain like={like}>
          {state}
        </Badge>
      </div>
      <p>{offer}</p>
      <div className={styles.facts}>
        <span>
          <Times text={`from ${start}`} />
        </span>
        {end !== null && (
          <span>
            <Times text={`until ${end}`} />
          </span>
        )}
        {ended !== null && (
          <span>
            <Times text={`ended by an operator ${ended}`} />
          </span>
        )}
        <span>{`${uses}${most === null ? "" : ` of ${most}`} uses`}</span>
        <span className="fig">{`promised ${sumText(promised)}${budget === null ? "" : ` of ${sumText(budget)}`}`}</span>
      </div>
      {onEnd !== null && state !== "ended" && (
        <div className={styles.actions}>
          <Button size="sm" aria-label={`End ${code}`} onClick={onEnd}>
            End
          </Button>
        </div>
      )}
    </li>
  );
}

function stateOf({ starts_at: start, ends_at: end, ended_at: ended }: PromoResponse, now: number) {
  if (ended !== null || (end !== null && Date.parse(end) <= now)) return ["ended", "cancelled"] as const;
  return Date.parse(start) > now ? (["scheduled", "initiated"] as const) : (["active", "completed"] as const);
}
