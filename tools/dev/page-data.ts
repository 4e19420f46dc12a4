import { languages } from "@farline/domain/languages.ts";
import type { PageRenderer } from "@farline/contract/public-pages.ts";
import { PAGE_DATA } from "../../web/build/dev-page-data.ts";

/** Replaces the built renderer: the service sends a page's data, and the development server renders it. */
export default {
  renderPage: (request) => PAGE_DATA + JSON.stringify(request),
  spokenLanguages: languages,
} satisfies PageRenderer;
