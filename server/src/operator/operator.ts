export { freezeAccount, unfreezeAccount, writeOffDebt, type AccountOrder } from "./change-account.ts";
export { recordOperation, type Operation } from "./operations.store.ts";
