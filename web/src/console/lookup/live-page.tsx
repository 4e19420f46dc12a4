import type { LiveCall, LiveCallsResponse } from "@farline/contract/operator/live-calls.ts";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Link, useSearchParams } from "react-router";
import { Button, Spinner } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { EmptyState, LoadFailure } from "../../ui/empty-state.tsx";
import { consoleRequest } from "../console-request.ts";
import { useRight } from "../console-session.tsx";
import { usePageTitle } from "../shell/page-title.ts";
import { useCallHints } from "../shell/use-call-hints.ts";
import * as rows from "../shell/rows.module.css";
import { HangUpDialog, SettleLostDialog, type Ending } from "./live-dialogs.tsx";
import { LiveRow } from "./live-row.tsx";
import { PrefixForm } from "./prefix-form.tsx";
import { useNow } from "../../time/use-now.ts";

/** As many rows as are drawn at once; the rest is shown on request. */
const SHOWN = 100;
const SECOND_MS = 1_000;

/** Calls of this moment, ringing ones too: all, those of a customer, or those to numbers that begin with a prefix. */
export function LiveCallsPage() {
  usePageTitle("Live calls");
  const [search] = useSearchParams();
  const filter = filterIn(search);
  const live = useLiveCalls(filter);
  const [ending, setEnding] = useState<Ending | null>(null);
  const [settling, setSettling] = useState(false);
  const mayEnd = useRight("restrict");
  const calls = live.data?.calls ?? [];
  const exchanges = [...new Set(calls.flatMap(({ exchange }) => exchange ?? []))];
  return (
    <div className="stack">
      <div className="spread head">
        <h1 className="t-page">Live calls</h1>
        {live.isSuccess && <span className="fig">{live.data.more ? `more than ${calls.length}` : String(calls.length)}</span>}
      </div>
      <PrefixForm key={filter.prefix ?? ""} prefix={filter.prefix ?? ""} />
      {filter.customer !== undefined && (
        <p>
          <Link className="link" to="/operator/live">
            Show the calls of all customers
          </Link>
        </p>
      )}
      <Card className="stack">
        {live.isPending && <Spinner />}
        {live.isError && <LoadFailure text="The live calls could not be loaded" of={live} />}
        {live.isSuccess && calls.length === 0 && <EmptyState title={emptyText(filter)} />}
        {mayEnd && calls.length > 0 && (
          <div className={rows.actions}>
            {(filter.customer !== undefined || filter.prefix !== undefined) && (
              <Button size="sm" pair="end" onClick={() => setEnding({ ...filter, calls: calls.length })}>
                Hang up all of these
              </Button>
            )}
            {exchanges.length > 0 && (
              <Button size="sm" onClick={() => setSettling(true)}>
                Settle a lost exchange
              </Button>
            )}
          </div>
        )}
        <LiveRows live={live.data} mayEnd={mayEnd} onEnd={(call) => setEnding({ call })} />
      </Card>
      {ending !== null && <HangUpDialog ending={ending} onClose={() => setEnding(null)} />}
      {settling && <SettleLostDialog exchanges={exchanges} onClose={() => setSettling(false)} />}
    </div>
  );
}

interface LiveFilter {
  readonly customer?: string;
  readonly prefix?: string;
}

function filterIn(search: URLSearchParams): LiveFilter {
  const [customer, prefix] = [search.get("customer"), search.get("prefix")];
  if (customer !== null) return { customer };
  return prefix === null ? {} : { prefix };
}

function emptyText({ customer, prefix }: LiveFilter): string {
  if (customer !== undefined) return "This customer has no live call";
  return prefix === undefined ? "Nobody is calling right now" : `Nobody is calling numbers that begin with ${prefix}`;
}

/** What is read again because of a hint does not keep the session alive. */
function useLiveCalls(filter: LiveFilter) {
  const client = useQueryClient();
  const queryKey = ["live-calls", filter];
  useCallHints(["live-calls"]);
  return useQuery({
    queryKey,
    queryFn: () => {
      const unattended = client.getQueryData(queryKey) !== undefined;
      return consoleRequest("GET /api/operator/calls/live", { query: filter, unattended });
    },
  });
}

interface LiveRowsProps {
  readonly live: LiveCallsResponse | undefined;
  readonly mayEnd: boolean;
  readonly onEnd: (call: LiveCall) => void;
}

function LiveRows({ live, mayEnd, onEnd }: LiveRowsProps) {
  const [isWhole, setWhole] = useState(false);
  const now = useNow(SECOND_MS);
  const calls = live?.calls ?? [];
  const shown = isWhole ? calls : calls.slice(0, SHOWN);
  return (
    <>
      <ul className={rows.rows} aria-label="Live calls">
        {shown.map((call) => (
          <LiveRow key={call.id} call={call} now={now} mayEnd={mayEnd} onEnd={onEnd} />
        ))}
      </ul>
      {shown.length < calls.length && <Button wide onClick={() => setWhole(true)}>{`Show all ${calls.length}`}</Button>}
    </>
  );
}
