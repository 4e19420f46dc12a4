import type { FirstSteps, OverviewResponse } from "@farline/contract/operator/overview.ts";
import { overviewPartWords } from "@farline/contract/operator/words/words.ts";
import { Card } from "../../ui/card.tsx";
import { Banner } from "../../ui/messages/banner.tsx";
import { consoleRequest } from "../console-request.ts";
import * as styles from "../console.module.css";
import { Loaded } from "../shell/figures.tsx";
import { useLiveReading } from "../shell/live-reading.tsx";
import { useZone } from "../shell/texts.ts";
import { PageTitle } from "../shell/top-bar.tsx";
import { BooksCard, LiveCard, QueueCard, TodayCard, TroublesCard, TrunksCard } from "./overview-cards.tsx";
import { TrafficCharts } from "./traffic-charts.tsx";

/** How the service does: what is wrong first, then the figures of the day and their charts. It stays up to date by itself. */
export function OverviewPage() {
  const zone = useZone();
  const overview = useLiveReading({
    queryKey: ["overview", zone],
    read: (unattended) => consoleRequest("GET /api/operator/overview", { query: { zone }, unattended }),
    keepPrevious: true,
  });
  return (
    <>
      <PageTitle title="Overview" />
      <Loaded of={overview} failure="The overview could not be loaded">
        {(data) => <Cards overview={data} zone={zone} />}
      </Loaded>
    </>
  );
}

function Cards({ overview, zone }: { readonly overview: OverviewResponse; readonly zone: string }) {
  const { warnings, queue, live, today, week_ago: weekAgo, trunks, ledger, decks, first_steps: steps, at, unread } = overview;
  const parts = overview.parts ?? [];
  return (
    <div className={styles.cards}>
      {unread.length > 0 && (
        <div className={styles.wide}>
          <Banner kind="warn">{unread.map((part) => `${overviewPartWords[part]} could not be read.`).join(" ")}</Banner>
        </div>
      )}
      {steps !== null && <FirstStepsCard steps={steps} />}
      {warnings !== null && <TroublesCard troubles={warnings} parts={parts} />}
      {today !== null && weekAgo !== null && <TodayCard today={today} weekAgo={weekAgo} at={at} />}
      <TrafficCharts zone={zone} />
      {queue !== null && <QueueCard counts={queue} at={at} />}
      {trunks !== null && <TrunksCard trunks={trunks} parts={parts} />}
      {live !== null && <LiveCard live={live} />}
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
function FirstStepsCard({ steps }: { readonly steps: FirstSteps }) {
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
