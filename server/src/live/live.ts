export { createLive, type Live } from "./create-live.ts";
export { liveRoutes } from "./live-routes.ts";
