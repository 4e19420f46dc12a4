export { approvalRoutes } from "./approval-routes.ts";
export { carryOut, type CarriedOut } from "./carry-out.ts";
