import type { LiveCall } from "@farline/contract/operator/live-calls.ts";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "react-router";
import { messageOf } from "../../service/http.ts";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { EmptyState, LoadFailure } from "../../ui/empty-state.tsx";
import { toast } from "../../ui/messages/toast.ts";
import { Spinner } from "../../ui/waiting/spinner.tsx";
import { consoleRequest } from "../console-request.ts";
import { useRight } from "../console-session.tsx";
import { usePageTitle } from "../shell/page-title.ts";
import { ReasonDialog } from "../shell/reason-dialog.tsx";
import { timeText } from "../shell/time-text.ts";
import * as rows from "../shell/rows.module.css";

const LIVE = ["live-calls"];
const READ_EVERY_MS = 5_000;

/** Calls of this moment, ringing ones too. */
export function LiveCallsPage() {
  usePageTitle("Live calls");
  const client = useQueryClient();
  const [ending, setEnding] = useState<LiveCall | null>(null);
  const live = useQuery({
    queryKey: LIVE,
    queryFn: () => consoleRequest("GET /api/operator/calls/live"),
    refetchInterval: READ_EVERY_MS,
  });
  const calls = live.data?.calls ?? [];
  return (
    <>
      <div className="spread head">
        <h1 className="t-page">Live calls</h1>
        {live.isSuccess && <span className="fig">{live.data.more ? `more than ${calls.length}` : String(calls.length)}</span>}
      </div>
      <Card>
        {live.isPending && <Spinner />}
        {live.isError && (
          <LoadFailure
            text={messageOf(live.error, "The live calls could not be loaded")}
            busy={live.isFetching}
            onRetry={() => void live.refetch()}
          />
        )}
        {live.isSuccess && calls.length === 0 && <EmptyState title="Nobody is calling right now" />}
        <ul className={rows.rows} aria-label="Live calls">
          {calls.map((call) => (
            <LiveRow key={call.id} call={call} onEnd={setEnding} />
          ))}
        </ul>
      </Card>
      {ending !== null && (
        <ReasonDialog
          title="Hang up this call"
          text={`The call of ${ending.email} to ${ending.destination} ends within seconds. What was talked is charged.`}
          action="Hang up"
          ends
          onClose={() => setEnding(null)}
          onConfirm={async (reason) => {
            await consoleRequest("POST /api/operator/calls/hang-up", { body: { call: ending.id, reason } });
            toast.success("The call is being hung up.");
            setEnding(null);
            await client.invalidateQueries({ queryKey: LIVE });
          }}
        />
      )}
    </>
  );
}

function LiveRow({ call, onEnd }: { readonly call: LiveCall; readonly onEnd: (call: LiveCall) => void }) {
  const mayEnd = useRight("restrict");
  return (
    <li className={rows.row}>
      <div className={rows.head}>
        <Link className="link" to={`/operator/calls/${call.id}`}>
          {`${call.status} to ${call.destination}`}
        </Link>
        <time className="small fig" dateTime={call.since}>
          {timeText(call.since)}
        </time>
      </div>
      <div className={rows.facts}>
        <Link className="link" to={`/operator/customers/${call.customer_id}`}>
          {call.email}
        </Link>
        {factsOf(call).map((fact) => (
          <span key={fact}>{fact}</span>
        ))}
      </div>
      {mayEnd && !call.ending && (
        <div className={rows.actions}>
          <Button size="sm" onClick={() => onEnd(call)} aria-label={`Hang up the call to ${call.destination}`}>
            Hang up
          </Button>
        </div>
      )}
    </li>
  );
}

function factsOf(call: LiveCall): string[] {
  return [
    `$${call.rate_per_minute} a minute`,
    `so far $${call.charge}`,
    `left $${call.credit_left}`,
    ...(call.margin === null ? [] : [`margin $${call.margin}`]),
    ...(call.trunk === null ? [] : [`trunk ${call.trunk}`]),
    ...(call.exchange === null ? [] : [`exchange ${call.exchange}`]),
    ...(call.mos === null ? [] : [`MOS ${call.mos.toFixed(1)}`]),
    ...(call.ending ? ["is being hung up"] : []),
  ];
}
