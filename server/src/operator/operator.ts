export { freezeAccount, unfreezeAccount, writeOffDebt, type AccountOrder } from "./change-account.ts";
export { recordOperation, wasRecorded, type Operation } from "./operations.store.ts";
export type { Approval } from "./operator.tables.ts";
export { openApprovals, rejectApproval } from "./proposals.ts";
export { guardChange, isWaiting, moveMoney, resultOf, waitingFor, type Concern, type Moved } from "./second-operator.ts";
