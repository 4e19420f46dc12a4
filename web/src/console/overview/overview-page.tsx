import type { OverviewResponse } from "@farline/contract/operator/overview.ts";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { LoadFailure } from "../../ui/empty-state.tsx";
import { Spinner } from "../../ui/button.tsx";
import { consoleRequest } from "../console-request.ts";
import { usePageTitle } from "../shell/page-title.ts";
import { timeText } from "../shell/time-text.ts";
import { useCallHints } from "../shell/use-call-hints.ts";
import { BooksCard, TodayCard, TrunksCard } from "./figure-cards.tsx";
import { FirstStepsCard } from "./first-steps-card.tsx";
import { LiveCard, QueueCard, WarningsCard } from "./now-cards.tsx";
import * as styles from "./overview.module.css";

const QUERY = ["overview"];

/** How the service does: what needs a person first, then the figures of the day. Read again when calls change, never by a timer. */
export function OverviewPage() {
  usePageTitle("Overview");
  const client = useQueryClient();
  useCallHints(QUERY);
  const overview = useQuery({
    queryKey: QUERY,
    queryFn: () => consoleRequest("GET /api/operator/overview", { unattended: client.getQueryData(QUERY) !== undefined }),
  });
  return (
    <>
      <div className="spread head">
        <h1 className="t-page">Overview</h1>
        {overview.isSuccess && <span className="small muted">{`Read at ${timeText(overview.data.at)}`}</span>}
      </div>
      {overview.isPending && <Spinner />}
      {overview.isError && <LoadFailure text="The overview could not be loaded" of={overview} />}
      {overview.isSuccess && <Cards overview={overview.data} />}
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
