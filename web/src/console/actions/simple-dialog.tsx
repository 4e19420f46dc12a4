import type { EndpointName } from "@farline/contract/api/api.ts";
import type { OperatorCustomerResponse, StoryEntry } from "@farline/contract/operator/customers.ts";
import { declarationOf, type OperationName } from "@farline/contract/operator/operations.ts";
import { consoleRequest } from "../console-request.ts";
import { ReasonDialog } from "../shell/reason-dialog.tsx";
import type { Done } from "./waiting-dialog.tsx";

interface About {
  readonly customer: OperatorCustomerResponse;
  /** Null: the customer. */
  readonly entry: StoryEntry | null;
}

interface SimpleDialogProps extends About {
  readonly action: OperationName;
  readonly onClose: () => void;
  readonly done: Done;
}

/** An operation that takes a reason and nothing else, as its declaration says. */
export function SimpleDialog({ action, customer, entry, onClose, done }: SimpleDialogProps) {
  const { label, ends } = declarationOf(action);
  return (
    <ReasonDialog
      title={label}
      text={sentenceOf(action, { customer, entry })}
      action={label}
      ends={ends}
      onClose={onClose}
      onConfirm={async (reason) => done(await performOperation(action, { customer, entry }, { reason }))}
    />
  );
}

/** What the operation will do. */
export function sentenceOf(action: OperationName, { customer: { customer, money, counts }, entry }: About): string {
  const { says } = declarationOf(action);
  const { debt, alone } = money;
  return says?.({ email: customer.email, sessions: counts.sessions, liveCalls: counts.live_calls, debt, alone, entry }) ?? "";
}

/** Performs an operation about a customer or an entry. @returns what was done */
export async function performOperation(action: OperationName, about: About, body: object): Promise<Parameters<Done>[0]> {
  const { route, done } = declarationOf(action);
  const { id, what } = subjectOf(action, about);
  const send = consoleRequest as (
    name: EndpointName,
    options: object,
  ) => Promise<{ readonly proposal?: string | null } | undefined>;
  const answer = await send(route as EndpointName, { params: { id }, body: { ...what, ...body } });
  return { text: (done as ((answer: unknown) => string) | undefined)?.(answer) ?? "Done.", proposal: answer?.proposal };
}

/** Whom or what it is about: in its path, or in its body. */
function subjectOf(
  action: OperationName,
  { customer: { customer }, entry }: About,
): { readonly id: string; readonly what: object } {
  if (action === "refund-call") return { id: entry?.id ?? "", what: { answer: null } };
  if (action !== "hang-up") return { id: customer.id, what: {} };
  return { id: "", what: entry === null ? { customer: customer.id } : { call: entry.id } };
}
