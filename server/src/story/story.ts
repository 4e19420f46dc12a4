export { readCustomer } from "./read-customer.ts";
export { storyRoutes } from "./story-routes.ts";
export { readStory } from "./read-story.ts";
