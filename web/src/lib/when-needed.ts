const SIGNS = ["pointerdown", "keydown", "focusin"] as const;

/** Resolves at the first sign that somebody wants to use the page, from the moment this file runs. */
export const used = new Promise<void>((resolve) => {
  for (const sign of SIGNS) addEventListener(sign, () => resolve(), { passive: true, once: true });
});

/** Resolves when half of an element is on the screen, or half of the screen is filled by it. */
export function inView(element: Element): Promise<void> {
  return new Promise((resolve) => {
    const watch = new IntersectionObserver(
      (entries) => {
        if (
          !entries.some(
            ({ intersectionRatio, intersectionRect: { height } }) => intersectionRatio >= 0.5 || height >= innerHeight / 2,
          )
        )
          return;
        watch.disconnect();
        resolve();
      },
      { threshold: [0.1, 0.2, 0.3, 0.4, 0.5] },
    );
    watch.observe(element);
  });
}
