import type { RobotChallenge } from "@farline/contract/robot-check.ts";
import { proveWork } from "./prove-work.ts";

declare const self: DedicatedWorkerGlobalScope;

/** Receives one challenge and responds with its counters. */
self.addEventListener("message", ({ data }: MessageEvent<RobotChallenge>) => {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker has none
  self.postMessage(proveWork(data));
});
