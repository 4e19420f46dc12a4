export { caseRoutes } from "./case-routes.ts";
export type { QueuedCase } from "./case.store.ts";
export { caseFigures } from "./case-figures.ts";
export { answerCase, closeCase, openCases, findCase } from "./decide-case.ts";
