import type { Page } from "@playwright/test";

/** What moved on a page without its reader's doing, since it was opened. */
interface LayoutShifts {
  /** The sum of all shifts: the part of the screen that moved, times how far (https://wicg.github.io/layout-instability/). */
  readonly total: number;
  /** Each shift with the elements that moved, for the message of a failed test. */
  readonly moves: readonly string[];
}

/** Watches a page from its next load on. */
export async function watchLayoutShifts(page: Page): Promise<void> {
  await page.addInitScript(watch);
}

export async function layoutShiftsOf(page: Page): Promise<LayoutShifts> {
  return await page.evaluate(() => (globalThis as unknown as { layoutShifts: LayoutShifts }).layoutShifts);
}

interface Shift {
  readonly value: number;
  readonly hadRecentInput: boolean;
  readonly startTime: number;
  readonly sources: readonly { readonly node: Node | null; readonly previousRect: DOMRect; readonly currentRect: DOMRect }[];
}

/** Runs in the page before its own scripts. */
function watch(): void {
  const moves: string[] = [];
  const shifts = { total: 0, moves };
  Object.assign(globalThis, { layoutShifts: shifts });
  const name = (node: Node | null): string => {
    const element = node instanceof Element ? node : node?.parentElement;
    return `${element?.tagName.toLowerCase() ?? "?"}.${element?.className ?? ""} "${node?.textContent?.trim().slice(0, 30) ?? ""}"`;
  };
  const where = ({ x, y, width, height }: DOMRect): string => [x, y, width, height].map(Math.round).join(" ");
  new PerformanceObserver((list) => {
    for (const { value, hadRecentInput, startTime, sources } of list.getEntries() as unknown as Shift[]) {
      if (hadRecentInput) continue;
      shifts.total += value;
      const moved = sources.map(
        ({ node, previousRect, currentRect }) => `${name(node)} ${where(previousRect)} → ${where(currentRect)}`,
      );
      moves.push(`${value.toFixed(3)} after ${Math.round(startTime)} ms: ${moved.join("; ")}`);
    }
  }).observe({ type: "layout-shift", buffered: true });
}
