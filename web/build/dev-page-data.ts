/** The built renderer, which the service loads unless it is developed. */
export const RENDERER_FILE = "/web/renderer/dist/server-entry.js";
/** Starts what the service sends in the place of a public page while it is developed. */
export const PAGE_DATA = "farline-page-data ";
