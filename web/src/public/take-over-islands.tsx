import type { Resource } from "i18next";
import { createElement, type ComponentType } from "react";
import { hydrateRoot } from "react-dom/client";
import { I18nextProvider } from "react-i18next";
import { idPrefix, type IslandName, islands } from "./islands.tsx";
import { createTexts } from "./public-texts.ts";

takeOverIslands();

/** Brings every island of the document to life, with the texts and values that the document carries. */
function takeOverIslands(): void {
  const resources = read<Resource>(document.querySelector("[data-texts]"));
  const texts = createTexts(document.documentElement.lang, resources);
  for (const place of document.querySelectorAll<HTMLElement>("[data-island]")) {
    const name = place.dataset["island"] as IslandName;
    const props = read<object>(document.querySelector(`[data-props="${name}"]`));
    hydrateRoot(
      place,
      <I18nextProvider i18n={texts}>{createElement(islands[name] as ComponentType<object>, props)}</I18nextProvider>,
      { identifierPrefix: idPrefix(name) },
    );
    place.dataset["live"] = "";
  }
}

function read<Value>(script: Element | null): Value {
  return JSON.parse(script?.textContent ?? "{}") as Value;
}
