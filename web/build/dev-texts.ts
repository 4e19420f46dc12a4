import type { Plugin } from "vite";

const CATALOGUE = /\/texts\/([\w-]+)\/([\w-]+)\.json$/;
const EVENT = "farline:texts";
/** How new texts reach the page: the app shows them, a server-rendered page reloads. */
const LISTENERS: readonly [string, string][] = [
  [
    "/web/src/text/i18n.ts",
    `import.meta.hot?.on("${EVENT}", ({ language, namespace, texts }) => {
      i18n.addResourceBundle(language, namespace, texts, true, true);
      void i18n.changeLanguage(i18n.language);
    });`,
  ],
  ["/web/src/public/start.ts", `import.meta.hot?.on("${EVENT}", () => location.reload());`],
];

/** Shows a changed text in the open page. A catalogue is data, so no component accepts it as a hot update. */
export function devTexts(): Plugin {
  return {
    name: "farline-dev-texts",
    apply: "serve",
    transform(code, id) {
      const [, listener] = LISTENERS.find(([file]) => id.endsWith(file)) ?? [];
      return listener === undefined ? null : { code: `${code}\n${listener}`, map: null };
    },
    async hotUpdate({ file, read }) {
      const [, language, namespace] = CATALOGUE.exec(file) ?? [];
      if (this.environment.name !== "client" || language === undefined) return undefined;
      this.environment.hot.send(EVENT, { language, namespace, texts: JSON.parse(await read()) as object });
      return [];
    },
  };
}
