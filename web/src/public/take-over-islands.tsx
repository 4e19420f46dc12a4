import type { Resource } from "i18next";
import { createElement, type ComponentType, type ReactNode, startTransition, useEffect } from "react";
import { hydrateRoot } from "react-dom/client";
import { I18nextProvider } from "react-i18next";
import { nextTask } from "../lib/next-task.ts";
import { idPrefix, type IslandName, islands } from "./islands.tsx";
import { createTexts } from "./public-texts.ts";

void takeOverIslands();

/**
 * Brings every island of the document to life, with the texts and values that the document carries: one after the other,
 * and each in small steps, so that the page answers meanwhile.
 */
async function takeOverIslands(): Promise<void> {
  const resources = read<Resource>(document.querySelector("[data-texts]"));
  const texts = createTexts(document.documentElement.lang, resources);
  for (const place of document.querySelectorAll<HTMLElement>("[data-island]")) {
    const name = place.dataset["island"] as IslandName;
    const props = read<object>(document.querySelector(`[data-props="${name}"]`));
    await nextTask();
    const content = (
      <I18nextProvider i18n={texts}>
        <Living onLive={() => place.toggleAttribute("data-live", true)}>
          {createElement(islands[name] as ComponentType<object>, props)}
        </Living>
      </I18nextProvider>
    );
    startTransition(() => void hydrateRoot(place, content, { identifierPrefix: idPrefix(name) }));
  }
}

/** Says when an island has come to life. */
function Living({ onLive, children }: { readonly onLive: () => void; readonly children: ReactNode }) {
  useEffect(onLive, [onLive]);
  return children;
}

function read<Value>(script: Element | null): Value {
  return JSON.parse(script?.textContent ?? "{}") as Value;
}
