export { createLive, type Live } from "./create-live.ts";
export { liveRoutes } from "./live-routes.ts";
export { HintStream } from "./hint-stream.ts";
