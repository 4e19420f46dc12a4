import type { i18n as I18n } from "i18next";
import { createElement, type ComponentType, type ReactElement } from "react";
import { renderToString } from "react-dom/server";
import { I18nextProvider } from "react-i18next";
import { idPrefix, type IslandName, type IslandProps, islands } from "./islands.tsx";
import { safeJson } from "./safe-json.ts";
import * as styles from "./island.module.css";

/**
 * An island in the document: its markup and the props to hydrate it with. It is inert until `hydrate-islands.tsx` hydrates
 * it, so that no press is lost. Call it while composing a page, not inside a component: it renders separately.
 */
export function island<Name extends IslandName>(texts: I18n, name: Name, props: IslandProps<Name>): ReactElement {
  const html = renderToString(
    <I18nextProvider i18n={texts}>{createElement(islands[name] as ComponentType<object>, props as object)}</I18nextProvider>,
    { identifierPrefix: idPrefix(name) },
  );
  return (
    <>
      <div className={styles.island} data-island={name} inert dangerouslySetInnerHTML={{ __html: html }} />
      <script type="application/json" data-props={name} dangerouslySetInnerHTML={{ __html: safeJson(props) }} />
    </>
  );
}
