import type { Resource } from "i18next";
import { type ComponentType, createElement, type ReactNode, useEffect } from "react";
import { hydrateRoot } from "react-dom/client";
import { I18nextProvider } from "react-i18next";
import { filterCountries } from "../features/rates/filter-countries.tsx";
import { idPrefix, type IslandName, islands } from "./islands.tsx";
import { createTexts } from "./public-texts.ts";

// Hydrates every island of the page with the texts and props that the document carries.
const texts = createTexts(document.documentElement.lang, carriedTexts<Resource>());
for (const place of document.querySelectorAll<HTMLElement>("[data-island]")) {
  const name = place.dataset["island"] as IslandName;
  const props = carriedProps<object>(name);
  hydrateRoot(
    place,
    <I18nextProvider i18n={texts}>
      <Usable place={place}>{createElement(islands[name] as ComponentType<object>, props)}</Usable>
    </I18nextProvider>,
    { identifierPrefix: idPrefix(name) },
  );
}

const search = document.querySelector<HTMLFormElement>("[data-country-search]");
const results = document.querySelector<HTMLElement>("[data-country-results]");
if (search !== null && results !== null) filterCountries(search, results, texts);

/** Enables an island once its handlers are attached: it is inert until then, so that no press or keystroke is lost. */
function Usable({ place, children }: { readonly place: HTMLElement; readonly children: ReactNode }) {
  useEffect(() => place.removeAttribute("inert"), [place]);
  return children;
}

/** Reads the islands' data from the document, written by `island.tsx` and `document.tsx`. */

/** The props that an island was rendered with. */
function carriedProps<Props>(name: string): Props {
  return read(`[data-props="${name}"]`);
}

/** Texts in the document's language, by language, namespace and key. */
function carriedTexts<Texts>(): Texts {
  return read("[data-texts]");
}

function read<Value>(selector: string): Value {
  return JSON.parse(document.querySelector(selector)?.textContent ?? "{}") as Value;
}
