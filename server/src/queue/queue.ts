export { evidenceVerbs } from "./dispute-evidence.ts";
export { presentQueueCounts, countQueue, readQueue, type QueuePage } from "./read-queue.ts";
export { queueRoutes } from "./queue-routes.ts";
