import { reached } from "../browser/when-needed.ts";

/** Every living part of the page, and when somebody reaches for it; they are listened to from when this file runs. */
export const livingParts: ReadonlyMap<HTMLElement, Promise<void>> = new Map(
  [...document.querySelectorAll<HTMLElement>("[data-island]")].map((place) => [place, reached(place)]),
);
