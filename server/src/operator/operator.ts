export { freezeAccount, unfreezeAccount, writeOffDebt, type AccountOrder } from "./change-account.ts";
export { recordOperation, wasRecorded, type Operation } from "./operations.store.ts";
export type { Approval } from "./operator.tables.ts";
export { moveMoney, openApprovals, rejectApproval, resultOf, type Moved } from "./second-operator.ts";
