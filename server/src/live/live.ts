export { createLive, silentLive, type Live, type LiveListener, type LivePublisher } from "./create-live.ts";
export { liveRoutes } from "./live-routes.ts";
