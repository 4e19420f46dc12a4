import type { Plugin } from "vite";

const STYLES = /\s*<link rel="stylesheet"[^>]*>/g;
const FIRST_SCRIPT = '<script type="module"';

/** Requests the styles before the scripts. A browser opens six connections, which the scripts would fill first. */
export function stylesFirst(): Plugin {
  return {
    name: "farline-styles-first",
    apply: "build",
    transformIndexHtml: {
      order: "post",
      handler(html) {
        const styles = html.match(STYLES) ?? [];
        return html
          .replace(STYLES, "")
          .replace(FIRST_SCRIPT, () => `${styles.map((tag) => tag.trim()).join("\n    ")}\n    ${FIRST_SCRIPT}`);
      },
    },
  };
}
