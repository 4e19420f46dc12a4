export { exportEvidence, type EvidenceFile } from "./dispute-evidence.ts";
export { presentQueueCounts } from "./present-counts.ts";
export { queueRoutes } from "./queue-routes.ts";
export { countQueue, readQueue, type QueuePage } from "./read-queue.ts";
