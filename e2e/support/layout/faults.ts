import type { Page } from "@playwright/test";
import { boxesOf, type Box, type Rect } from "./boxes.ts";
import { sidewaysScroll } from "../screens.ts";
import type { JudgedPage } from "../webkit.ts";

/** Choices among countries, whose longest names end in an ellipsis on purpose. */
const NAMES_OF_ANY_LENGTH = "form:has(> [role=group]) select";

/** Rounding of positions, in CSS pixels. */
const TOLERANCE_PX = 1.5;

/**
 * Layout faults of the page in its current state: overlaps, clipped controls and texts, words, times and amounts that wrap, clipped
 * placeholders and values, horizontal scrolling. One readable line each.
 */
export async function layoutFaults(page: JudgedPage, where: string): Promise<string[]> {
  await settle(page);
  const sideways = await sidewaysScroll(page);
  const boxes = await boxesOf(page);
  const width = page.viewportSize()?.width ?? 0;
  const faults = [
    ...(sideways === "" ? [] : [`the page scrolls sideways, ${sideways}`]),
    ...overlaps(boxes),
    ...boxes.flatMap((box) => cuts(box, boxes, width)),
    ...(await brokenTexts(page)),
    ...(await cutFields(page)),
    ...(await underTabBar(page)),
  ];
  return [...new Set(faults)].map((fault) => `${where}, ${width}: ${fault}`);
}

/** Waits for lists that measure their rows, and for a screen whose new size reaches all styles only some frames later. */
async function settle(page: JudgedPage): Promise<void> {
  await page.evaluate(async () => {
    for (let frame = 0; frame < 4; frame += 1) await new Promise((next) => requestAnimationFrame(next));
  });
}

/**
 * Faults of the open page at a large text size: horizontal scrolling, or a button of these parts that covers others or
 * is not fully visible. The page may scroll vertically.
 */
export async function largeTextFaults(page: Page, where: string, buttons: readonly string[] = []): Promise<string[]> {
  const sideways = await sidewaysScroll(page);
  const width = page.viewportSize()?.width ?? 0;
  const found = sideways === "" ? [] : [`${where}, ${width}: the page scrolls sideways, ${sideways}`];
  for (const button of buttons) {
    // Waits until it stands still. A button under the tab bar counts as in view, so it is then moved to the middle.
    await page.locator(button).scrollIntoViewIfNeeded();
    await page.locator(button).evaluate((element) => element.scrollIntoView({ block: "center" }));
    found.push(...(await hiddenParts(page, where, [button])));
  }
  return found;
}

/** Texts that something cuts, or that stick out of the control they are in, at the page's current text size. The page may scroll. */
export async function cutTexts(page: Page, where: string): Promise<string[]> {
  await settle(page);
  const boxes = await boxesOf(page);
  const width = page.viewportSize()?.width ?? 0;
  const faults = boxes.flatMap((box) => cuts(box, boxes, width));
  return [...new Set(faults)].map((fault) => `${where}, ${width}: ${fault}`);
}

/** Pairs of controls and texts that overlap, although neither contains the other. */
function overlaps(boxes: readonly Box[]): string[] {
  const found: string[] = [];
  const sorted = boxes.toSorted((a, b) => a.top - b.top);
  for (const [index, one] of sorted.entries()) {
    for (const other of sorted.slice(index + 1)) {
      if (other.top > one.bottom) break;
      if (one.layer !== other.layer || one.id === other.id || isInside(one, other) || isInside(other, one)) continue;
      const [a, b] = [painted(one), painted(other)];
      const x = Math.min(a.right, b.right) - Math.max(a.left, b.left);
      const y = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
      if (x > TOLERANCE_PX && y > TOLERANCE_PX) found.push(`${one.name} overlaps ${other.name} by ${px(x)} x ${px(y)}`);
    }
  }
  return found;
}

/** True if the first is in the second, which is a control. */
function isInside(one: Box, other: Box): boolean {
  return other.isControl && one.inside.includes(other.id);
}

function painted({ left, top, right, bottom, clip }: Box): Rect {
  return {
    left: Math.max(left, clip.left),
    top: Math.max(top, clip.top),
    right: Math.min(right, clip.right),
    bottom: Math.min(bottom, clip.bottom),
  };
}

/** Whether a box is clipped by an ancestor or the screen, or a text overflows its button. */
function cuts(box: Box, boxes: readonly Box[], width: number): string[] {
  const found: string[] = [];
  const cut = beyond(box, box.clip);
  if (cut > TOLERANCE_PX) found.push(`${box.name} is cut by ${px(cut)}`);
  const outside = Math.max(-box.left, box.right - width);
  if (!box.scrolls && outside > TOLERANCE_PX) found.push(`${box.name} is ${px(outside)} outside the screen`);
  const around = box.isControl ? undefined : boxes.find((one) => one.isControl && one.id === box.inside[0]);
  if (around !== undefined && !around.name.startsWith("a ")) {
    const same = boxes.filter((one) => one.isControl && one.id === around.id);
    const out = same.length > 1 || box.floats ? 0 : beyond(box, around);
    if (out > TOLERANCE_PX) found.push(`${box.name} sticks ${px(out)} out of ${around.name}`);
  }
  return found;
}

/** By how many pixels the first overflows the second. */
function beyond(box: Rect, area: Rect): number {
  return Math.max(area.left - box.left, box.right - area.right, area.top - box.top, box.bottom - area.bottom);
}

const px = (value: number) => `${Math.round(value)} px`;

/** Words in controls, times and amounts that wrap onto another line. */
async function brokenTexts(page: JudgedPage): Promise<string[]> {
  return await page.evaluate(() => {
    const SPACE = "[\\s\\u00a0\\u202f]?";
    const TIME = `\\d{1,2}:\\d{2}(?:${SPACE}(?:[AaPp]\\.?${SPACE}[Mm]\\b\\.?|[صم](?!\\p{L})))?`;
    const SUM = `(?:US)?\\$${SPACE}\\d[\\d.,]*(?:/\\p{L}+)?|\\d[\\d.,]*${SPACE}(?:US)?\\$(?:US)?`;
    const figures = new RegExp(`${TIME}|${SUM}`, "gu");
    const root = [...document.querySelectorAll("dialog:modal")].at(-1) ?? document.body;
    const found: string[] = [];
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
      const element = node.parentElement;
      const text = node.textContent ?? "";
      if (element === null || element.closest("select, script, style, svg") || !element.checkVisibility()) continue;
      const parts = [...text.matchAll(figures), ...(element.closest("a, button, label") ? text.matchAll(/[\p{L}\p{M}]+/gu) : [])];
      for (const part of parts) {
        const range = document.createRange();
        range.setStart(node, part.index);
        range.setEnd(node, part.index + part[0].length);
        const tops = [...range.getClientRects()].filter(({ width }) => width > 0).map(({ top }) => Math.round(top));
        if (Math.max(...tops) - Math.min(...tops) > 8 && element.getBoundingClientRect().width > 1)
          found.push(`"${part[0]}" in .${element.className} "${text.slice(0, 60)}" is broken over lines ${JSON.stringify(tops)}`);
      }
    }
    return found;
  });
}

/** Fields whose placeholder, chosen option or number is wider than the field. */
async function cutFields(page: JudgedPage): Promise<string[]> {
  return await page.evaluate((namesOfAnyLength) => {
    const context = document.createElement("canvas").getContext("2d");
    const widthOf = (text: string, style: CSSStyleDeclaration) => {
      if (context === null) return 0;
      context.font = `${style.fontWeight} ${style.fontSize} ${style.fontFamily}`;
      context.letterSpacing = style.letterSpacing === "normal" ? "0px" : style.letterSpacing;
      return context.measureText(text).width;
    };
    const root = [...document.querySelectorAll("dialog:modal")].at(-1) ?? document.body;
    const fields = [...root.querySelectorAll<HTMLInputElement | HTMLSelectElement>("input, select")];
    return fields.flatMap((field) => {
      const style = getComputedStyle(field);
      const room = field.clientWidth - Number.parseFloat(style.paddingLeft) - Number.parseFloat(style.paddingRight);
      if (!field.checkVisibility({ opacityProperty: true }) || room <= 1) return [];
      const texts: [string, CSSStyleDeclaration][] = [];
      if (field instanceof HTMLSelectElement)
        texts.push([field.matches(namesOfAnyLength) ? "" : (field.selectedOptions[0]?.text ?? ""), style]);
      else {
        if (field.value === "") texts.push([field.placeholder, getComputedStyle(field, "::placeholder")]);
        if (/tel|decimal|numeric/.test(field.inputMode + field.type)) texts.push([field.value, style]);
      }
      return texts.flatMap(([text, drawn]) => {
        const over = widthOf(text, drawn) - room;
        return over > 1 ? [`"${text}" is ${Math.ceil(over)} px wider than its field`] : [];
      });
    });
  }, NAMES_OF_ANY_LENGTH);
}

/** Controls at the end of a page that cannot be scrolled out from under the tab bar. */
async function underTabBar(page: JudgedPage): Promise<string[]> {
  return await page.evaluate(() => {
    const bar = document.querySelector("main ~ nav");
    if (bar === null || !bar.checkVisibility() || document.querySelector("dialog:modal")) return [];
    const room = document.documentElement.scrollHeight - window.scrollY - bar.getBoundingClientRect().height;
    const controls = [...document.querySelectorAll("main :is(a, button, input, select)")].filter((one) => one.checkVisibility());
    return controls
      .filter((one) => one.getBoundingClientRect().bottom > room + 1)
      .map((one) => `${one.localName} "${one.textContent?.trim().slice(0, 40) ?? ""}" stays under the tab bar`);
  });
}

/** The parts that are not fully on the screen, or are covered. */
export async function hiddenParts(page: Page, where: string, parts: readonly string[]): Promise<string[]> {
  const found = await page.evaluate((selectors) => {
    const area = { right: document.documentElement.clientWidth, bottom: window.innerHeight };
    return selectors.flatMap((selector) =>
      [...document.querySelectorAll(selector)]
        .filter((part) => part.checkVisibility() && part.getBoundingClientRect().width > 1)
        .flatMap((part) => {
          const { left, top, right, bottom } = part.getBoundingClientRect();
          const out = Math.max(-left, -top, right - area.right, bottom - area.bottom);
          if (out > 1) return [`${selector} is ${Math.round(out)} px off the screen`];
          const [x, y] = [(left + right) / 2, (top + bottom) / 2];
          const points = [
            [x, y],
            [left + 4, y],
            [right - 4, y],
            [x, top + 3],
            [x, bottom - 3],
          ] as const;
          const over = points
            .map((point) => document.elementFromPoint(...point))
            .find((top) => top !== null && !part.contains(top) && !top.contains(part));
          return over ? [`${selector} lies under ${over.localName}.${over.getAttribute("class") ?? ""}`] : [];
        }),
    );
  }, parts);
  const size = page.viewportSize();
  return found.map((fault) => `${where}, ${size?.width}x${size?.height}: ${fault}`);
}
