/** What an operator's role is called, from the least to the most powerful. */
export const operatorRoles = ["support", "finance", "admin"] as const;
export type OperatorRole = (typeof operatorRoles)[number];

interface Right {
  readonly roles: readonly OperatorRole[];
  /** Also needs a proof of identity that is at most five minutes old. */
  readonly stepUp: boolean;
}

const EVERYONE = operatorRoles;
const MONEY: readonly OperatorRole[] = ["finance", "admin"];
const ADMINS: readonly OperatorRole[] = ["admin"];

/** Who may do what. Routes and commands name one of these; nothing else decides. */
export const operatorRights = {
  /** Own session and own sign-in. */
  "own-access": { roles: EVERYONE, stepUp: false },
  /** Sign in a command line. */
  "command-line": { roles: EVERYONE, stepUp: true },
  /** How the service does; of its figures, only what the role may see. */
  "read-overview": { roles: EVERYONE, stepUp: false },
  /** Customers, their calls and payments, and live calls; not what calls cost us. */
  "read-customers": { roles: EVERYONE, stepUp: false },
  /** Freeze an account, hang up a call, block a caller ID: fast and reversible. */
  restrict: { roles: EVERYONE, stepUp: false },
  /** Undo a restriction. */
  release: { roles: MONEY, stepUp: false },
  /** What waits for an operator: of each kind, only what the role may answer. */
  "read-queue": { roles: EVERYONE, stepUp: false },
  /** Say what was done about a dispute. */
  disputes: { roles: MONEY, stepUp: false },
  /** Answer and close customers' questions. */
  "answer-cases": { roles: EVERYONE, stepUp: false },
  /** Refund a payment or a call, up to the role's limit; above it, propose it. */
  refund: { roles: EVERYONE, stepUp: true },
  /** Write off debts, confirm or reject proposals. */
  money: { roles: MONEY, stepUp: true },
  /** End an own proposal. */
  withdraw: { roles: EVERYONE, stepUp: false },
  promotions: { roles: MONEY, stepUp: true },
  reconcile: { roles: MONEY, stepUp: false },
  /** Copies and erasures of customers' data. */
  "personal-data": { roles: MONEY, stepUp: true },
  /** Files with customers' data or the business's figures. */
  export: { roles: MONEY, stepUp: true },
  /** What calls cost us and what they earn. */
  "read-costs": { roles: MONEY, stepUp: false },
  "read-audit-log": { roles: MONEY, stepUp: false },
  decks: { roles: ADMINS, stepUp: true },
  settings: { roles: ADMINS, stepUp: true },
  "read-operators": { roles: ADMINS, stepUp: false },
  /** Invite and remove operators, change their roles, end their sessions. */
  operators: { roles: ADMINS, stepUp: true },
} as const satisfies Record<string, Right>;

export type OperatorRight = keyof typeof operatorRights;

/** Whether a role has a right. */
export function hasRight(role: OperatorRole, right: OperatorRight): boolean {
  const { roles }: Right = operatorRights[right];
  return roles.includes(role);
}

/** Whether a right also needs a recent proof of identity. */
export function needsProof(right: OperatorRight): boolean {
  return operatorRights[right].stepUp;
}

/** The rights of a role, by name. */
export function rightsOf(role: OperatorRole): OperatorRight[] {
  return (Object.keys(operatorRights) as OperatorRight[]).filter((right) => hasRight(role, right));
}

/** Whether a value names a right. */
export function isOperatorRight(value: unknown): value is OperatorRight {
  return typeof value === "string" && Object.hasOwn(operatorRights, value);
}
