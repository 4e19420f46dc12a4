import { businessOperations } from "./business-operations.ts";
import { customerOperations } from "./customer-operations.ts";
import { type CustomerFacts, type EntryFacts, type Second, type Declaration } from "./declaration.ts";
import { hasRight, type OperatorRole } from "./rights.ts";

/** In the order in which they are offered. */
export const operations = { ...customerOperations, ...businessOperations } as const satisfies Readonly<
  Record<string, Declaration>
>;

type Declared = typeof operations;

/** The one name of an operation. */
export type OperationName = keyof Declared;
export const operationNames = Object.keys(operations) as [OperationName, ...OperationName[]];

/** An operation that a second operator may have to confirm. */
export type ProposableName = { [N in OperationName]: Declared[N] extends { readonly second: Second } ? N : never }[OperationName];

/** When a second operator is needed for it; never, if null. */
export type SecondWhen<N extends OperationName> = Declared[N] extends { readonly second: infer By extends Second }
  ? By["when"]
  : null;

/** Its declaration, without what is particular to it. */
export function declarationOf(name: OperationName): Declaration {
  return operations[name];
}

/** The declaration of an action that can be proposed; undefined for any other word. */
export function secondFor(action: string): Second | undefined {
  return Object.hasOwn(operations, action) ? declarationOf(action as OperationName).second : undefined;
}

/** What a role can do about a customer or an entry of the timeline, in the order in which it is offered. */
export function offeredFor(role: OperatorRole, about: CustomerFacts | EntryFacts): OperationName[] {
  return operationNames.filter((name) => {
    const { right, forCustomer, forEntry } = declarationOf(name);
    return hasRight(role, right) && ("type" in about ? forEntry?.(about) : forCustomer?.(about)) === true;
  });
}
