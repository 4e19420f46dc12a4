export { approvalRoutes } from "./approval-routes.ts";
export { presentApproval } from "./present-approval.ts";
export { carryOut, type CarriedOut } from "./carry-out.ts";
