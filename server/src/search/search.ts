export { searchEverything } from "./search-everything.ts";
