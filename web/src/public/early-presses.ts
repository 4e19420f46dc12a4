/** As many as somebody presses while the code of a living part is on its way. */
const MOST_PRESSES = 20;

/** Keys of living parts that are pressed before their code has come work as soon as it is there. */
export function keepEarlyPresses(): void {
  const pressed: HTMLButtonElement[] = [];
  document.addEventListener("click", ({ target }) => {
    const key = (target as Element).closest<HTMLButtonElement>("[data-island]:not([data-live]) button[type=button]");
    if (key !== null && pressed.length < MOST_PRESSES) pressed.push(key);
  });
  document.addEventListener("live", ({ target }) => {
    const own = pressed.filter((key) => (target as Element).contains(key));
    for (const key of own) {
      pressed.splice(pressed.indexOf(key), 1);
      key.click();
    }
  });
}
