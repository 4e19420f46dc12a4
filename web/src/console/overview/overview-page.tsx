import type { FirstSteps, OverviewResponse } from "@farline/contract/operator/overview.ts";
import { Card } from "../../ui/card.tsx";
import { consoleRequest } from "../console-request.ts";
import * as styles from "../console.module.css";
import { Loaded } from "../shell/figures.tsx";
import { useLiveReading } from "../shell/live-reading.tsx";
import { PageTitle } from "../shell/top-bar.tsx";
import { BooksCard, LiveCard, QueueCard, TodayCard, TrunksCard, WarningsCard } from "./overview-cards.tsx";

const QUERY = ["overview"];

/** How the service does: what needs a person first, then the figures of the day. It stays up to date by itself. */
export function OverviewPage() {
  const overview = useLiveReading({
    queryKey: QUERY,
    read: (unattended) => consoleRequest("GET /api/operator/overview", { unattended }),
  });
  return (
    <>
      <PageTitle title="Overview" />
      <Loaded of={overview} failure="The overview could not be loaded">
        {(data) => <Cards overview={data} />}
      </Loaded>
    </>
  );
}

function Cards({ overview }: { readonly overview: OverviewResponse }) {
  const { warnings, queue, live, today, week_ago: weekAgo, trunks, ledger, decks, first_steps: steps, at } = overview;
  return (
    <div className={styles.cards}>
      {steps !== null && <FirstStepsCard steps={steps} />}
      <WarningsCard warnings={warnings} />
      <QueueCard counts={queue} at={at} />
      <LiveCard live={live} />
      <TrunksCard trunks={trunks} />
      <TodayCard today={today} weekAgo={weekAgo} />
      {(ledger !== null || decks !== null) && <BooksCard ledger={ledger} decks={decks} />}
    </div>
  );
}

const STEPS: Readonly<Record<keyof FirstSteps, { readonly text: string; readonly docs: string }>> = {
  operators: {
    text: "Invite a second operator, who confirms what one person may not do alone.",
    docs: "docs/operate/operators.md",
  },
  trunk: { text: "Connect a carrier: a trunk of the exchange, or Telnyx.", docs: "docs/operate/voice.md" },
  deck: {
    text: "Activate a price list. Until then the sample prices are for the sandbox alone.",
    docs: "docs/operate/decks.md",
  },
  payments: {
    text: "Set the keys of the payment provider. Until then the sandbox's cards are play money.",
    docs: "docs/operate/deploy.md",
  },
};

/** What is missing before the first call can be sold. */
export function FirstStepsCard({ steps }: { readonly steps: FirstSteps }) {
  return (
    <Card title="First steps" className={styles.wide}>
      <ul className={styles.list} aria-label="First steps">
        {(Object.keys(STEPS) as (keyof FirstSteps)[]).map((name) => (
          <li key={name} className={styles.warning}>
            <span>{STEPS[name].text}</span>
            <div className={styles.facts}>
              <strong>{steps[name] ? "Done" : "To do"}</strong>
              <span>{STEPS[name].docs}</span>
            </div>
          </li>
        ))}
      </ul>
    </Card>
  );
}
