import { formatDollars } from "@farline/domain/money.ts";
import { useEffect } from "react";

/** Sets the document's title, for the browser tab and screen readers. */
export function usePageTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} | Farline operators`;
  }, [title]);
}

/** A time as operators compare it with logs: "2026-11-26 08:30:05 UTC". @param instant ISO 8601 */
export function timeText(instant: string): string {
  return `${instant.slice(0, 10)} ${instant.slice(11, 19)} UTC`;
}

const MICROS = /_?micros$/i;

/**
 * The details of an operation or a proposal, each as a short text. Amounts in micro-dollars become dollars; keys and what does not apply,
 * such as the amount and reach of what moves nothing, are left out.
 */
export function detailText(detail: Readonly<Record<string, unknown>>): string[] {
  const { amount_micros: amount, reach, key: _key, concerns: _rules, ...others } = detail;
  const moved = amount === "0" ? [] : textsOf({ amount_micros: amount });
  return [...moved, ...reachText(reach), ...textsOf(others)];
}

function textsOf(detail: Readonly<Record<string, unknown>>): string[] {
  return Object.entries(detail)
    .filter(([, value]) => value !== undefined && value !== null && value !== "" && value !== false)
    .map(([name, value]) =>
      MICROS.test(name) ? `${spaced(name.replace(MICROS, ""))} ${amountText(value)}` : `${spaced(name)} ${String(value)}`,
    );
}

function amountText(micros: unknown): string {
  return /^-?\d+$/.test(String(micros)) ? `$${formatDollars(BigInt(String(micros)))}` : String(micros);
}

function reachText(reach: unknown): string[] {
  if (reach === undefined || reach === 0) return [];
  if (reach === "everyone") return ["reaches everyone"];
  return [reach === 1 ? "reaches 1 customer" : `reaches ${Number(reach)} customers`];
}

/** "least_micros" and "leastMicros" become "least". */
function spaced(name: string): string {
  return name.replaceAll("_", " ").replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}
