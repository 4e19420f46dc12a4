import type { Page } from "@playwright/test";

/** Minimum space between neighbours in the bar, in CSS pixels. */
const GAP_PX = 4;

/**
 * Faults of the app bar on a wide screen: a part that is missing, overflows the bar, touches its neighbour or has a
 * label of two lines.
 */
export async function appBarFaults(page: Page, where: string): Promise<string[]> {
  const faults = await page.evaluate((gap) => {
    const LINK = "header nav a";
    const LOGOUT = "button:not([aria-controls])";
    const bar = document.querySelector("header")?.getBoundingClientRect();
    if (bar === undefined) return ["there is no app bar"];
    const found: string[] = [];
    const boxes: { name: string; left: number; right: number }[] = [];
    const look = (selector: string, element: Element | null) => {
      if (element === null || !element.checkVisibility()) return found.push(`${selector} is missing`);
      // Paddings of neighbouring links may touch, but not their letters.
      const range = document.createRange();
      range.selectNodeContents(element);
      const isLink = selector === LINK;
      const places = (isLink ? [range] : [element, ...element.children]).map((part) => part.getBoundingClientRect());
      const edges = places.filter(({ width }) => width > 1);
      const [left, right] = [Math.min(...edges.map((edge) => edge.left)), Math.max(...edges.map((edge) => edge.right))];
      const box = element.getBoundingClientRect();
      const name = `${selector} "${element.textContent?.trim() ?? ""}"`;
      const lines = new Set(
        [...range.getClientRects()].filter(({ width }) => width > 1).map(({ bottom }) => Math.round(bottom / 12)),
      );
      if ((isLink || selector === LOGOUT) && lines.size > 1) found.push(`${name} has two lines`);
      if (left < 0 || right > document.documentElement.clientWidth || box.top < bar.top || box.bottom > bar.bottom)
        found.push(`${name} leaves the bar`);
      return boxes.push({ name, left, right });
    };
    for (const selector of [
      ".brand",
      'a[href="/topup"][aria-label]',
      'a[href="/account"]',
      "[aria-controls=preferences]",
      LOGOUT,
    ])
      look(selector, document.querySelector(`header ${selector}`));
    for (const link of document.querySelectorAll(LINK)) look(LINK, link);
    const inOrder = boxes.toSorted((a, b) => a.left - b.left);
    for (const [index, next] of inOrder.entries()) {
      const before = inOrder[index - 1];
      if (before !== undefined && next.left - before.right < gap) found.push(`${next.name} touches ${before.name}`);
    }
    return found;
  }, GAP_PX);
  return faults.map((fault) => `${where}, ${page.viewportSize()?.width}: ${fault}`);
}
