export { changeTerm, SET_TERM } from "./change-term.ts";
export { presentTerms } from "./read-terms.ts";
export { termRoutes } from "./term-routes.ts";
