import type { LiveCall } from "@farline/contract/operator/live-calls.ts";
import { billedSeconds, chargeFor } from "@farline/domain/calls/charge.ts";
import { fromDecimalString, toDecimalString } from "@farline/domain/money.ts";
import { Link } from "react-router";
import { Button } from "../../ui/button.tsx";
import { timeText } from "../shell/time-text.ts";
import * as rows from "../shell/rows.module.css";

interface LiveRowProps {
  readonly call: LiveCall;
  /** The service's time. */
  readonly now: number;
  readonly mayEnd: boolean;
  readonly onEnd: (call: LiveCall) => void;
}

/** A live call. How long it lasts and what it has cost goes on between two readings. */
export function LiveRow({ call, now, mayEnd, onEnd }: LiveRowProps) {
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
        {factsOf(call, now).map((fact) => (
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

function factsOf(call: LiveCall, now: number): string[] {
  const seconds = call.answered_at === null ? null : Math.max(0, Math.floor((now - Date.parse(call.answered_at)) / 1000));
  const moreMicros = seconds === null ? 0n : chargeAfter(call, seconds) - fromDecimalString(call.charge);
  const add = (amount: string, micros: bigint) => toDecimalString(fromDecimalString(amount) + micros);
  return [
    call.country_code,
    ...(seconds === null ? [] : [`talks ${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`]),
    `$${call.rate_per_minute} a minute`,
    `so far $${add(call.charge, moreMicros)}`,
    `left $${add(call.credit_left, -moreMicros)}`,
    ...(call.margin === null ? [] : [`margin $${call.margin}`]),
    ...(call.trunk === null ? [] : [`trunk ${call.trunk}`]),
    ...(call.exchange === null ? [] : [`exchange ${call.exchange}`]),
    ...(call.mos === null ? [] : [`MOS ${call.mos.toFixed(1)}`]),
    ...(call.ending ? ["is being hung up"] : []),
  ];
}

/** What the call would be charged if it ended now; never less than the service has said. */
function chargeAfter(call: LiveCall, seconds: number): bigint {
  const steps = { firstIntervalSeconds: call.first_interval_s, nextIntervalSeconds: call.next_interval_s };
  const price = { ...steps, ratePerMinuteMicros: fromDecimalString(call.rate_per_minute) };
  const now = chargeFor(billedSeconds(seconds, price), price);
  const said = fromDecimalString(call.charge);
  return now > said ? now : said;
}
