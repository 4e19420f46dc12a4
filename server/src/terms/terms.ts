export { termVerbs } from "./change-term.ts";
export { presentTerms } from "./read-terms.ts";
