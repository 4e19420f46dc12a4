import type { i18n as I18n } from "i18next";
import { createElement, type ComponentType, type ReactElement } from "react";
import { renderToString } from "react-dom/server";
import { I18nextProvider } from "react-i18next";
import { idPrefix, type IslandName, type IslandProps, islands } from "./islands.tsx";
import { safeJson } from "./safe-json.ts";
import "./island.css";

/**
 * An island as it stands in the document: its markup, ready to be taken over by the browser, and the values it was made
 * from. To be called while a page is put together, not inside a component: it is a rendering of its own.
 * @param drawn what the markup is made from, where the page's first script completes it before the part comes to life
 */
export function island<Name extends IslandName>(texts: I18n, name: Name, props: IslandProps<Name>, drawn = props): ReactElement {
  const html = renderToString(
    <I18nextProvider i18n={texts}>{createElement(islands[name] as ComponentType<object>, drawn as object)}</I18nextProvider>,
    { identifierPrefix: idPrefix(name) },
  );
  return (
    <>
      <div className="island" data-island={name} dangerouslySetInnerHTML={{ __html: html }} />
      <script type="application/json" data-props={name} dangerouslySetInnerHTML={{ __html: safeJson(props) }} />
    </>
  );
}
