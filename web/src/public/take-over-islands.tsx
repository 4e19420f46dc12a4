import type { Resource } from "i18next";
import { createElement, type ComponentType, type ReactNode, startTransition, useEffect } from "react";
import { hydrateRoot } from "react-dom/client";
import { I18nextProvider } from "react-i18next";
import { nextTask } from "../browser/next-task.ts";
import { carriedProps, carriedTexts } from "./carried-data.ts";
import { idPrefix, type IslandName, islands } from "./islands.tsx";
import { livingParts } from "./living-parts.ts";
import { createTexts } from "./public-texts.ts";

const texts = createTexts(document.documentElement.lang, carriedTexts<Resource>());
for (const [place, reached] of livingParts) void reached.then(() => takeOver(place));

/**
 * Brings an island to life with the texts and values that the document carries: in small steps, so that the page answers
 * meanwhile. It then says so by the event `live`.
 */
async function takeOver(place: HTMLElement): Promise<void> {
  const name = place.dataset["island"] as IslandName;
  await nextTask();
  const props = carriedProps<object>(name);
  const live = () => {
    place.toggleAttribute("data-live", true);
    place.dispatchEvent(new Event("live", { bubbles: true }));
  };
  const content = (
    <I18nextProvider i18n={texts}>
      <Living onLive={live}>{createElement(islands[name] as ComponentType<object>, props)}</Living>
    </I18nextProvider>
  );
  startTransition(() => void hydrateRoot(place, content, { identifierPrefix: idPrefix(name) }));
}

/** Says when an island has come to life. */
function Living({ onLive, children }: { readonly onLive: () => void; readonly children: ReactNode }) {
  useEffect(onLive, [onLive]);
  return children;
}
