export { readCustomer } from "./read-customer.ts";
export { readStory } from "./read-story.ts";
