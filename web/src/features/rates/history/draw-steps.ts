import type { PriceHistory, PriceLine } from "@farline/contract/public-pages.ts";
import { fromDecimalString, type Micros, rateToDecimalString } from "@farline/domain/money.ts";

/** Units of the drawing, which is scaled to the available space. */
export const WIDTH = 240;
export const HEIGHT = 60;
/** Keeps the line inside the drawing. */
const MARGIN = 3;
/** Least share of the width that the price in force takes, however new it is. */
const MIN_LAST_SHARE = 0.04;

interface StepDrawing {
  /** SVG path of the lowest price. */
  readonly line: string;
  /** SVG path of the areas from the lowest to the highest price; empty if each number costs the same. */
  readonly band: string;
  /** The price at the upper edge, in dollars. */
  readonly top: string;
}

/** Draws prices over time as steps, from zero up. Times without a price are gaps. */
export function drawSteps({ steps }: Pick<PriceLine, "steps">, until: PriceHistory["until"]): StepDrawing {
  const times = steps.map(({ since }) => Date.parse(since));
  const [first = 0, last = 0] = [times[0], times.at(-1)];
  const end = Math.max(Date.parse(until), first + (last - first) / (1 - MIN_LAST_SHARE));
  const top = steps.reduce((most, { price }) => {
    const highest = price === null ? 0n : fromDecimalString(price.highest);
    return highest > most ? highest : most;
  }, 1n);
  const x = (time: number): number => rounded(((time - first) / (end - first || 1)) * WIDTH);
  const y = (price: string): number => rounded(HEIGHT - MARGIN - shareOf(fromDecimalString(price), top) * (HEIGHT - 2 * MARGIN));
  let line = "";
  let band = "";
  for (const [index, { price }] of steps.entries()) {
    if (price === null) continue;
    const [from, to] = [x(times[index] ?? first), x(times[index + 1] ?? end)];
    const [low, high] = [y(price.lowest), y(price.highest)];
    const isJoined = index > 0 && steps[index - 1]?.price !== null;
    line += `${isJoined ? `V${low}` : `M${from} ${low}`}H${to}`;
    if (low !== high) band += `M${from} ${low}H${to}V${high}H${from}Z`;
  }
  return { line, band, top: rateToDecimalString(top) };
}

/** For the eye alone, in thousandths. */
function shareOf(part: Micros, whole: Micros): number {
  return Number((1_000n * part) / whole) / 1_000;
}

function rounded(value: number): number {
  return Number(value.toFixed(1));
}
