import type { LiveOrder } from "@farline/contract/operator/constants.ts";
import type { LiveCall, LiveCallsResponse } from "@farline/contract/operator/live-calls.ts";
import { numberTypeWords } from "@farline/contract/operator/words/call-words.ts";
import { dollarText } from "@farline/contract/operator/words/money-words.ts";
import { innerWordFor } from "@farline/contract/operator/words/words.ts";
import { billedSeconds, chargeFor } from "@farline/domain/calls/charge.ts";
import { countryByCode } from "@farline/domain/countries/countries.ts";
import { formatDollars, fromDecimalString } from "@farline/domain/money.ts";
import { useVirtualizer } from "@tanstack/react-virtual";
import { memo, type ReactNode, useEffect, useRef, useState } from "react";
import { Link } from "react-router";
import { useNow } from "../../time/use-now.ts";
import { classNames } from "../../ui/class-names.ts";
import { Flag } from "../../ui/flag.tsx";
import { Numbers, When } from "../shell/inline-parts.tsx";
import * as styles from "./live.module.css";

const SECOND_MS = 1_000;
/** Times and charges go on for so long after a reading; then they stand still, because nobody knows whether the calls do. */
const GOES_ON_MS = 10_000;
const MINUTE_S = 60;
const HOUR_S = 3_600;
/** A call that ends sooner stands out. */
const SOON_S = 120;
const ROW_PX = 33;
const NARROW_ROW_PX = 76;
const NARROW = "(max-width: 48rem)";
/** Rows drawn beyond the window on each side. */
const OVERSCAN = 8;
const MOS_STEPS = [1, 2, 3, 4, 5] as const;

/** A part of the live calls, and where in the list it begins. */
export interface LivePart {
  readonly offset: number;
  readonly answer: LiveCallsResponse;
}

interface LiveTableProps {
  readonly part: LivePart;
  /** Changes when other calls are asked for; rows that are held still belong to one. */
  readonly partKey: string;
  readonly order: LiveOrder;
  readonly reverse: boolean;
  readonly onOrder: (order: LiveOrder) => void;
  /** Which rows are in view, counted from the list's beginning. */
  readonly onView: (first: number, last: number) => void;
  /** Null for a role that may not end calls. */
  readonly onEnd: ((call: LiveCall) => void) | null;
  readonly onFreeze: ((call: LiveCall) => void) | null;
}

/** Live calls, of which only the rows in view are in the page. Rows stay where they are while somebody points at one or works in one. */
export function LiveTable({ part, partKey, order, reverse, onOrder, onView, onEnd, onFreeze }: LiveTableProps) {
  const { matching } = part.answer;
  const area = useRef<HTMLDivElement>(null);
  const now = Math.min(useNow(SECOND_MS), Date.parse(part.answer.at) + GOES_ON_MS);
  const { calls, hold, release } = useStillRows(part, partKey);
  const [rowPx] = useState(() => (window.matchMedia(NARROW).matches ? NARROW_ROW_PX : ROW_PX));
  // oxlint-disable-next-line react/incompatible-library -- its functions stay in this component
  const virtual = useVirtualizer({
    count: matching,
    getScrollElement: () => area.current,
    estimateSize: () => rowPx,
    overscan: OVERSCAN,
  });
  const shown = virtual.getVirtualItems();
  const [first, last] = [shown[0]?.index ?? 0, shown.at(-1)?.index ?? 0];
  useEffect(() => onView(first, last), [first, last, onView]);
  const columns = 9 + (onEnd === null ? 0 : 1);
  return (
    <div className={styles.area}>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a keyboard scrolls what it can focus */}
      <div className={styles.scroll} ref={area} tabIndex={0} role="region" aria-label="Live calls">
        <table className={styles.table} aria-rowcount={matching + 1}>
          <thead>
            <tr>
              <th scope="col">Customer</th>
              <SortHead name="country" text="To" {...{ order, reverse, onOrder }} />
              <th scope="col">Number</th>
              <SortHead name="trunk" text="Trunk" {...{ order, reverse, onOrder }} />
              <SortHead name="start" text="Start" {...{ order, reverse, onOrder }} />
              <SortHead name="duration" text="Time" figure {...{ order, reverse, onOrder }} />
              <SortHead name="cost" text="Cost" figure {...{ order, reverse, onOrder }} />
              <th scope="col" className={styles.figure}>
                Left
              </th>
              <th scope="col">Sound</th>
              {onEnd !== null && (
                <th scope="col">
                  <span className="sr-only">Actions</span>
                </th>
              )}
            </tr>
          </thead>
          {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- holds rows still; there is nothing to operate */}
          <tbody onPointerEnter={hold} onPointerLeave={release} onFocus={hold} onBlur={release}>
            <Gap px={shown[0]?.start ?? 0} columns={columns} />
            {shown.map(({ index }) => {
              const call = calls[index - part.offset];
              return call === undefined ? (
                <tr key={index} className={styles.row} data-index={index} ref={virtual.measureElement} aria-rowindex={index + 2}>
                  <td colSpan={columns} className="muted">
                    …
                  </td>
                </tr>
              ) : (
                <LiveRow
                  key={index}
                  {...{ call, index, onEnd, onFreeze }}
                  measure={virtual.measureElement}
                  second={Math.floor(now / SECOND_MS)}
                />
              );
            })}
            <Gap px={virtual.getTotalSize() - (shown.at(-1)?.end ?? 0)} columns={columns} />
          </tbody>
        </table>
      </div>
    </div>
  );
}

/** The space of the rows that are not drawn. */
function Gap({ px, columns }: { readonly px: number; readonly columns: number }) {
  return px <= 0 ? null : (
    <tr aria-hidden="true">
      <td colSpan={columns} style={{ height: px, padding: 0 }}>
        {"\u00a0"}
      </td>
    </tr>
  );
}

/** The part's calls in the order in which they stood when they were first held, with their latest figures. */
function useStillRows({ answer: { calls } }: LivePart, key: string) {
  const [isHeld, setHeld] = useState(false);
  const [still, setStill] = useState<{ readonly key: string; readonly calls: readonly LiveCall[] } | null>(null);
  if (isHeld && still?.key !== key) setStill({ key, calls });
  if (!isHeld && still !== null) setStill(null);
  return {
    calls: still?.key === key ? still.calls.map((held) => calls.find(({ id }) => id === held.id) ?? held) : calls,
    hold: () => setHeld(true),
    release: () => setHeld(false),
  };
}

interface SortHeadProps {
  readonly name: LiveOrder;
  readonly text: string;
  readonly figure?: boolean;
  readonly order: LiveOrder;
  readonly reverse: boolean;
  readonly onOrder: (order: LiveOrder) => void;
}

/** Names ascend from A, figures and times descend from the largest, until they are turned round. */
const ASCENDS: readonly LiveOrder[] = ["country", "trunk"];

function SortHead({ name, text, figure = false, order, reverse, onOrder }: SortHeadProps) {
  const isSorted = name === order;
  const ascends = ASCENDS.includes(name) !== reverse;
  return (
    <th
      scope="col"
      className={figure ? styles.figure : undefined}
      {...(isSorted && { "aria-sort": ascends ? ("ascending" as const) : ("descending" as const) })}
    >
      <button type="button" className={styles.sort} onClick={() => onOrder(name)}>
        <span>{text}</span>
        {isSorted && <span aria-hidden="true">{ascends ? " ↑" : " ↓"}</span>}
      </button>
    </th>
  );
}

interface LiveRowProps {
  readonly call: LiveCall;
  readonly index: number;
  /** The service's time in whole seconds since 1970. */
  readonly second: number;
  readonly measure: (row: HTMLElement | null) => void;
  readonly onEnd: LiveTableProps["onEnd"];
  readonly onFreeze: LiveTableProps["onFreeze"];
}

/** A live call. How long it lasts and what it has cost goes on between two readings. */
const LiveRow = memo(function LiveRow({ call, index, second, measure, onEnd, onFreeze }: LiveRowProps) {
  const talked = secondsSince(call.answered_at, second);
  const left = call.ends_at === null ? null : Math.max(0, Math.floor(Date.parse(call.ends_at) / SECOND_MS) - second);
  return (
    <tr className={styles.row} data-index={index} ref={measure} aria-rowindex={index + 2}>
      <th scope="row" className={styles.who} title={call.email}>
        <Link to={`/operator/customers/${call.customer_id}`}>{call.name}</Link>
      </th>
      <td className={styles.called}>
        <span className={styles.to}>
          <Flag code={call.country_code} size="sm" />
          <span>{placeText(call)}</span>
        </span>
      </td>
      <td className={styles.spare}>
        <Link dir="ltr" to={`/operator/calls/${call.id}`}>
          <Numbers text={call.destination} />
        </Link>
      </td>
      <td className={styles.spare}>{call.trunk ?? ""}</td>
      <td className={styles.spare}>
        <When at={call.since} show="clock" />
      </td>
      <td className={classNames(styles.time, styles.figure)}>{stateText(call, talked, second)}</td>
      <td className={classNames(styles.cost, styles.figure)} title={marginText(call)}>
        {talked === null ? "" : `$${formatDollars(chargeAfter(call, talked))}`}
      </td>
      <td className={classNames(styles.left, styles.figure, left !== null && left < SOON_S && styles.soon)}>
        {left === null ? "" : leftText(left)}
      </td>
      <td className={styles.spare}>{call.mos !== null && <Sound mos={call.mos} />}</td>
      {onEnd !== null && onFreeze !== null && (
        <td className={classNames(styles.act, styles.figure)}>
          <span className={styles.keys}>
            <Key about={call} text="Freeze" onPress={onFreeze} />
            {call.ending ? <span className="muted">Hanging up</span> : <Key about={call} text="Hang up" ends onPress={onEnd} />}
          </span>
        </td>
      )}
    </tr>
  );
});

interface KeyProps {
  readonly about: LiveCall;
  readonly text: string;
  readonly ends?: boolean;
  readonly onPress: (call: LiveCall) => void;
}

function Key({ about, text, ends = false, onPress }: KeyProps): ReactNode {
  return (
    <button
      type="button"
      className={classNames(styles.key, ends && styles.end)}
      aria-label={`${text}: ${about.name}, ${about.destination}`}
      onClick={() => onPress(about)}
    >
      {text}
    </button>
  );
}

function Sound({ mos }: { readonly mos: number }) {
  return (
    <span className={styles.sound} role="img" aria-label={`MOS ${mos.toFixed(1)}`} title={`MOS ${mos.toFixed(1)}`}>
      {MOS_STEPS.map((step) => (
        <span key={step} className={mos >= step - 0.5 ? styles.on : undefined} style={{ height: `${step * 20}%` }} />
      ))}
    </span>
  );
}

function placeText({ country_code: code, number_type: type }: LiveCall): string {
  const country = countryByCode(code)?.name ?? code;
  return type === "landline" ? country : `${country} ${innerWordFor(numberTypeWords, type)}`;
}

function secondsSince(instant: string | null, second: number): number | null {
  return instant === null ? null : Math.max(0, second - Math.floor(Date.parse(instant) / SECOND_MS));
}

function stateText(call: LiveCall, talked: number | null, second: number): string {
  if (talked !== null) return clockText(talked);
  return `${call.status === "initiated" ? "Dialling" : "Ringing"} ${secondsSince(call.since, second)} s`;
}

function clockText(seconds: number): string {
  const [hours, minutes] = [Math.floor(seconds / HOUR_S), Math.floor((seconds % HOUR_S) / MINUTE_S)];
  const two = (value: number) => String(value).padStart(2, "0");
  return `${hours > 0 ? `${hours}:` : ""}${two(minutes)}:${two(seconds % MINUTE_S)}`;
}

function leftText(seconds: number): string {
  if (seconds < MINUTE_S) return "<1 min";
  const [hours, minutes] = [Math.floor(seconds / HOUR_S), Math.floor((seconds % HOUR_S) / MINUTE_S)];
  return hours === 0 ? `${minutes} min` : `${hours} h ${minutes} min`;
}

function marginText({ margin, rate_per_minute: rate }: LiveCall): string {
  return margin === null ? `$${rate} a minute` : `$${rate} a minute, margin ${dollarText(margin)}`;
}

/** What the call would be charged if it ended now, by when its hold ends; never less than the service has said. In micro-dollars. */
function chargeAfter(call: LiveCall, talked: number): bigint {
  const held = call.ends_at === null ? null : secondsSince(call.answered_at, Math.floor(Date.parse(call.ends_at) / SECOND_MS));
  const seconds = Math.min(talked, held ?? talked);
  const steps = { firstIntervalSeconds: call.first_interval_s, nextIntervalSeconds: call.next_interval_s };
  const price = { ...steps, ratePerMinuteMicros: fromDecimalString(call.rate_per_minute) };
  const now = chargeFor(billedSeconds(seconds, price), price);
  const said = fromDecimalString(call.charge);
  return now > said ? now : said;
}
