import { isUuid } from "@farline/domain/uuid.ts";
import type { CallFilter } from "@farline/contract/call-history.ts";
import { useLayoutEffect, useRef } from "react";
import { useSearchParams } from "react-router";

/** The filter in the page's address. An empty text means no filter. */
export interface FilterChoice {
  /** Days in the reader's time zone, "2026-11-21"; both are included. */
  readonly from: string;
  readonly to: string;
  readonly country: string;
  readonly status: "" | NonNullable<CallFilter["status"]>;
  readonly contact: string;
  readonly number: string;
  readonly search: string;
}

export const noFilter: FilterChoice = { from: "", to: "", country: "", status: "", contact: "", number: "", search: "" };

const DAY = /^(\d{4})-(\d{2})-(\d{2})$/;
const COUNTRY = /^[A-Z]{2}$/;
const NUMBER = /^\+[1-9]\d{5,14}$/;
const STATUSES: readonly string[] = ["completed", "failed", "live"];
const MAX_SEARCH_CHARS = 100;

/** Reads an address; invalid values are ignored. */
export function readFilter(params: URLSearchParams): FilterChoice {
  const text = (name: keyof FilterChoice, isGood: (value: string) => boolean) => {
    const value = params.get(name) ?? "";
    return isGood(value) ? value : "";
  };
  return {
    from: text("from", (value) => dayStart(value) !== null),
    to: text("to", (value) => dayStart(value) !== null),
    country: text("country", (value) => COUNTRY.test(value)),
    status: text("status", (value) => STATUSES.includes(value)) as FilterChoice["status"],
    contact: text("contact", isUuid),
    number: text("number", (value) => NUMBER.test(value)),
    search: (params.get("search") ?? "").slice(0, MAX_SEARCH_CHARS),
  };
}

/** The filter in the service's form: days become instants, in the reader's time zone. */
export function toQuery(choice: FilterChoice): CallFilter {
  const from = dayStart(choice.from);
  const end = dayStart(choice.to, 1);
  const search = choice.search.trim();
  return {
    ...(from === null ? {} : { from: from.toISOString() }),
    ...(end === null ? {} : { to: end.toISOString() }),
    ...(choice.country === "" ? {} : { country: choice.country }),
    ...(choice.status === "" ? {} : { status: choice.status }),
    ...(choice.contact === "" ? {} : { contact: choice.contact }),
    ...(choice.number === "" ? {} : { number: choice.number }),
    ...(search === "" ? {} : { search }),
  };
}

/** The number of active filters. */
export function countParts(choice: FilterChoice): number {
  return Object.values(choice).filter((value: string) => value.trim() !== "").length;
}

/** The filter in the page's address, and a function to change it. A change replaces the history entry, so Back leaves the page. */
export function useFilter(): [FilterChoice, (change: Partial<FilterChoice>) => void] {
  const [params, setParams] = useSearchParams();
  // The address as it will be: the rendered one lacks choices made since the last frame.
  const chosen = useRef(params);
  useLayoutEffect(() => {
    chosen.current = params;
  }, [params]);
  const change = (parts: Partial<FilterChoice>): void => {
    const next = { ...readFilter(chosen.current), ...parts };
    chosen.current = new URLSearchParams(Object.entries(next).filter(([, value]) => value !== ""));
    setParams(chosen.current, { replace: true });
  };
  return [readFilter(params), change];
}

/** The start of a day in the reader's time zone, optionally some days later; null for an invalid day. */
function dayStart(day: string, daysLater = 0): Date | null {
  const [, year, month, date] = DAY.exec(day) ?? [];
  if (year === undefined) return null;
  const start = new Date(Number(year), Number(month) - 1, Number(date) + daysLater);
  const same = new Date(Number(year), Number(month) - 1, Number(date)).getDate() === Number(date);
  return same && !Number.isNaN(start.getTime()) ? start : null;
}
