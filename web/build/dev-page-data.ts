/** The built renderer, which the service loads except in development. */
export const RENDERER_FILE = "/web/renderer/dist/server-entry.js";
/** Marks what the service sends instead of a public page in development. */
export const PAGE_DATA = "farline-page-data ";
