export {
  adjustCredit,
  confirmCustomerAddress,
  decideReview,
  endCustomerSessions,
  freezeAccount,
  resendVerification,
  unfreezeAccount,
  writeOffDebt,
  type AccountOrder,
} from "./change-account.ts";
export { MOVES_NOTHING, recordOperation, wasRecorded, type Operation } from "./operations.store.ts";
export { lockMoneyOperations } from "./approval.store.ts";
export type { Approval } from "./operator.tables.ts";
export {
  countProposals,
  decidableActions,
  openApprovals,
  readProposals,
  rejectApproval,
  rightToDecide,
  whyNotConfirm,
  withdrawApproval,
} from "./proposals.ts";
export { customerRoutes } from "./customer-routes.ts";
export {
  concernsAboutAmount,
  guardChange,
  isWaiting,
  moveMoney,
  orProposed,
  readAloneLeft,
  refuseDone,
  resultOf,
  waitingFor,
  type Concern,
  type GuardedChange,
  type Moved,
  type Once,
} from "./second-operator.ts";
export {
  changeRole,
  endSessions,
  readOperators,
  removeOperator,
  renewInvitation,
  type OperatorChange,
} from "./people/change-operator.ts";
export { confirmCommandLine, readCommandLine, requestCommandLine, type CommandLineRequest } from "./people/command-line.ts";
export { fetchLink, inviteFirstAdmin, inviteOperator, type InvitationLink, type Invited } from "./people/invite-operator.ts";
export { isAnotherAdminTrusted } from "./people/operator.store.ts";
export { deleteOperatorSession, endAllOperatorAccess } from "./people/operator-session.store.ts";
export { actorOf, admitOperator, requireRight } from "./people/operator-sessions.ts";
export { consoleToken, operatorGuard, operatorOf } from "./people/operator-guard.ts";
export { operatorRoutes } from "./people/operator-routes.ts";
export { peopleRoutes } from "./people/people-routes.ts";
export { recordRoutes } from "./record-routes.ts";
export { operatorJobs } from "./people/operator-jobs.ts";
