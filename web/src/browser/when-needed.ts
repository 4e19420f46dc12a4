/** A screen reader may press a key that neither a pointer nor the focus was on, and a browser fill in a field. */
const SIGNS = ["pointerover", "focusin", "click", "input"] as const;

/** Resolves when somebody reaches for something on the page: with a mouse over it, a finger on it, or the keyboard in it. */
export function reached(place: Element): Promise<void> {
  return new Promise((resolve) => {
    for (const sign of SIGNS) place.addEventListener(sign, () => resolve(), { passive: true, once: true });
  });
}

/** Resolves when half of an element is on the screen, or half of the screen is filled by it. */
export function inView(element: Element): Promise<void> {
  return new Promise((resolve) => {
    const watch = new IntersectionObserver(
      (entries) => {
        if (!entries.some(half)) return;
        watch.disconnect();
        resolve();
      },
      { threshold: [0.1, 0.2, 0.3, 0.4, 0.5] },
    );
    watch.observe(element);
  });
}

/** The screen's height comes with the entry: to ask the window for it would have the page laid out first. */
function half({ isIntersecting, intersectionRatio, intersectionRect, rootBounds }: IntersectionObserverEntry): boolean {
  // Of what is not drawn yet all heights are nought, the screen's too.
  if (!isIntersecting || rootBounds === null) return false;
  return intersectionRatio >= 0.5 || intersectionRect.height >= rootBounds.height / 2;
}
