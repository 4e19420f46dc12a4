import type { JudgedPage } from "../webkit.ts";

export interface Rect {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** A control, or one line of a text, as the browser laid it out. */
export interface Box extends Rect {
  readonly name: string;
  /** Identifies the control or the text's element. */
  readonly id: number;
  readonly isControl: boolean;
  /** Ids of the controls around it, innermost first. */
  readonly inside: readonly number[];
  /** Boxes of different layers overlap on purpose: a fixed bar, a sticky footer. */
  readonly layer: number;
  /** Nothing outside this is painted. */
  readonly clip: Rect;
  /** Parts outside can be reached by scrolling its container. */
  readonly scrolls: boolean;
  /** Positioned over its control, such as a badge on its edge. */
  readonly floats: boolean;
}

/** Names and other texts of any length, which end in an ellipsis on purpose. */
const SHORTENED = 'header a[href="/account"] > [dir=auto], .brand';

/** The controls and lines of text that a user can see, of the open dialog if there is one. */
export async function boxesOf(page: JudgedPage): Promise<Box[]> {
  return await page.evaluate((shortened) => {
    const CONTROLS =
      "a[href], button, select, textarea, summary, input:not([type=hidden]), label:has(:is([type=radio], [type=checkbox]))";
    const EVERYWHERE = { left: -1e6, top: -1e6, right: 1e6, bottom: 1e6 };
    interface Frame {
      layer: number;
      clip: typeof EVERYWHERE;
      scrolls: boolean;
      hidden: boolean;
    }
    const ids = new Map<Element, number>();
    const idOf = (element: Element) => ids.get(element) ?? ids.set(element, ids.size).size - 1;
    const frames = new Map<Element | null, Frame>([[null, { layer: 0, clip: EVERYWHERE, scrolls: false, hidden: false }]]);
    const frameOf = (element: Element | null): Frame => {
      const known = frames.get(element);
      if (known !== undefined || element === null) return known as Frame;
      const { layer, clip, scrolls, hidden } = frameOf(element.parentElement);
      const style = getComputedStyle(element);
      const box = element.getBoundingClientRect();
      const apart = style.position === "fixed" || style.position === "sticky";
      const area = style.position === "fixed" ? { ...EVERYWHERE } : { ...clip };
      const isClipping = (overflow: string) => overflow === "hidden" || overflow === "clip";
      if (style.display !== "inline" && element !== document.body && element !== document.documentElement) {
        if (isClipping(style.overflowX)) {
          area.left = Math.max(area.left, box.left);
          area.right = Math.min(area.right, box.right);
        } else if (style.overflowX !== "visible") [area.left, area.right] = [-1e6, 1e6];
        if (isClipping(style.overflowY)) {
          area.top = Math.max(area.top, box.top);
          area.bottom = Math.min(area.bottom, box.bottom);
        } else if (style.overflowY !== "visible") [area.top, area.bottom] = [-1e6, 1e6];
      }
      const frame = {
        layer: apart ? idOf(element) + 1 : layer,
        clip: area,
        scrolls: scrolls || style.overflowX === "auto" || style.overflowX === "scroll",
        hidden: hidden || (isClipping(style.overflowX) && (box.width <= 1 || box.height <= 1)),
      };
      frames.set(element, frame);
      return frame;
    };
    const isSeen = (element: Element) =>
      element.checkVisibility({ opacityProperty: true, visibilityProperty: true, contentVisibilityAuto: true }) &&
      !frameOf(element).hidden;
    const around = (element: Element): number[] => {
      const control = element.parentElement?.closest(CONTROLS) ?? null;
      return control === null ? [] : [idOf(control), ...around(control)];
    };
    const nameOf = (element: Element, text: string) =>
      `${element.localName}${[...element.classList].map((name) => `.${name}`).join("")} "${text.trim().replaceAll(/\s+/g, " ").slice(0, 40)}"`;
    const root = [...document.querySelectorAll("dialog:modal")].at(-1) ?? document.body;
    const controls = [...root.querySelectorAll(CONTROLS)].filter(isSeen).flatMap((element) => {
      const style = getComputedStyle(element);
      const isField = /^(?:input|select|textarea)$/.test(element.localName);
      const [start, end] = isField ? [Number.parseFloat(style.paddingLeft), Number.parseFloat(style.paddingRight)] : [0, 0];
      const lines = style.display === "inline" ? [...element.getClientRects()] : [element.getBoundingClientRect()];
      const { layer, clip, scrolls } = frameOf(element);
      const name = nameOf(element, element.getAttribute("aria-label") ?? element.textContent ?? "");
      const common = { name, id: idOf(element), isControl: true, inside: around(element), layer, clip, scrolls, floats: false };
      return lines.map(({ left, top, right, bottom }) => ({ ...common, left: left + start, top, right: right - end, bottom }));
    });
    const texts: typeof controls = [];
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
      const element = node.parentElement;
      if (element === null || node.textContent?.trim() === "" || element.closest("select, script, style, noscript, svg"))
        continue;
      if (!isSeen(element)) continue;
      const { layer, clip, scrolls } = frameOf(element);
      const inside = element.matches(CONTROLS) ? [idOf(element), ...around(element)] : around(element);
      const common = {
        name: nameOf(element, node.textContent ?? ""),
        id: idOf(element),
        isControl: false,
        inside,
        layer,
        scrolls,
        floats: getComputedStyle(element).position === "absolute",
      };
      const range = document.createRange();
      range.selectNodeContents(node);
      const isShort = element.closest(shortened) !== null;
      for (const { left, top, right, bottom } of range.getClientRects()) {
        // Letters occupy the middle of their line box.
        const air = (bottom - top) * 0.2;
        const line = { left, top: top + air, right, bottom: bottom - air };
        if (isShort) {
          [line.left, line.right] = [Math.max(left, clip.left), Math.min(right, clip.right)];
          [line.top, line.bottom] = [Math.max(line.top, clip.top), Math.min(line.bottom, clip.bottom)];
        }
        if (line.right > line.left && line.bottom > line.top) texts.push({ ...common, clip, ...line });
      }
    }
    return [...controls, ...texts];
  }, SHORTENED);
}
