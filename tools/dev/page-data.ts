import { languages } from "@farline/domain/languages.ts";
import type { PageRenderer } from "@farline/contract/public-pages.ts";

/** Marks what the service sends instead of a public page in development. */
export const PAGE_DATA = "farline-page-data ";

/** Replaces the built renderer: the service sends a page's data, and the development server renders it. */
export default {
  renderPage: (request) => PAGE_DATA + JSON.stringify(request),
  spokenLanguages: languages,
} satisfies PageRenderer;
