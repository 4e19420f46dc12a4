import type { OperatorCustomerResponse, StoryEntry } from "@farline/contract/operator/customers.ts";
import { consoleRequest } from "../console-request.ts";
import { ReasonDialog } from "../shell/reason-dialog.tsx";
import type { Done } from "./action-dialog.tsx";
import { ACTION_LABELS, type ActionHere } from "./action-words.ts";

/** An action that takes a reason and nothing else. */
type SimpleAction = Exclude<ActionHere, "freeze" | "adjust" | "refund" | "change_terms">;

interface About {
  readonly customer: OperatorCustomerResponse;
  readonly entry: StoryEntry | null;
}

interface Simple {
  readonly title: string;
  readonly ends?: boolean;
  readonly text: (about: About) => string;
  readonly send: (about: About, reason: string) => Promise<Parameters<Done>[0]>;
}

const of = ({ customer }: About) => ({ params: { id: customer.customer.id } });

const ACTIONS: Readonly<Record<SimpleAction, Simple>> = {
  unfreeze: {
    title: "Unfreeze the account",
    text: () => "The customer can call, top up and withdraw again, and is told by mail.",
    send: async (about, reason) => {
      const { changed, proposal } = await consoleRequest("POST /api/operator/customers/:id/unfreeze", {
        ...of(about),
        body: { reason },
      });
      return { text: changed ? "The account is open again." : "The account was not frozen.", proposal };
    },
  },
  hang_up: {
    title: "Hang up",
    ends: true,
    text: ({ customer, entry }) =>
      entry === null
        ? `All live calls of ${customer.customer.email} (${customer.counts.live_calls}) end within seconds. Talk time so far is charged.`
        : "The call ends within seconds. Talk time so far is charged.",
    send: async ({ customer, entry }, reason) => {
      const which = entry === null ? { customer: customer.customer.id } : { call: entry.id };
      const { ended } = await consoleRequest("POST /api/operator/calls/hang-up", { body: { ...which, reason } });
      return { text: hungUp(ended) };
    },
  },
  end_sessions: {
    title: "Sign out everywhere",
    ends: true,
    text: ({ customer }) =>
      `Every device is signed out (${customer.counts.sessions}), and their calls end within seconds. The password stays as it is.`,
    send: async (about, reason) => {
      await consoleRequest("POST /api/operator/customers/:id/end-sessions", { ...of(about), body: { reason } });
      return { text: "The customer is signed out everywhere." };
    },
  },
  confirm_address: {
    title: "Confirm the address",
    text: ({ customer }) =>
      `${customer.customer.email} counts as confirmed, without the link. Be sure that it is the customer's.`,
    send: async (about, reason) => {
      const { changed } = await consoleRequest("POST /api/operator/customers/:id/confirm-address", {
        ...of(about),
        body: { reason },
      });
      return { text: changed ? "The address is confirmed." : "The address was confirmed already." };
    },
  },
  resend: {
    title: "Send the link again",
    text: ({ customer }) => `A new link to confirm the address is mailed to ${customer.customer.email}.`,
    send: async (about, reason) => {
      const { changed } = await consoleRequest("POST /api/operator/customers/:id/resend-verification", {
        ...of(about),
        body: { reason },
      });
      return { text: changed ? "The link is on its way." : "The address was confirmed already." };
    },
  },
  write_off: {
    title: "Write off the debt",
    text: ({ customer: { money } }) => `The customer owes $${money.debt}. Afterwards they owe nothing. ${aloneText(money.alone)}`,
    send: async (about, reason) => {
      const { proposal } = await consoleRequest("POST /api/operator/customers/:id/write-off", { ...of(about), body: { reason } });
      return { text: "The debt is written off.", proposal };
    },
  },
  refund_call: {
    title: "Refund the call",
    text: ({ customer: { money }, entry }) =>
      `The charge of the call goes back to the customer's credit${amountOf(entry)}, as bonus where it was paid with bonus. ${aloneText(money.alone)}`,
    send: async ({ entry }, reason) => {
      const params = { id: entry?.id ?? "" };
      const { proposal } = await consoleRequest("POST /api/operator/calls/:id/refund", {
        params,
        body: { reason, answer: null },
      });
      return { text: "The charge is back on the customer's account.", proposal };
    },
  },
};

/** What an operator may move without a second one. */
function aloneText(alone: string): string {
  return `You may move $${alone} more for this customer today; above it, a second operator confirms.`;
}

function amountOf(entry: StoryEntry | null): string {
  return entry?.type === "call" && entry.amount !== null ? `, $${entry.amount}` : "";
}

/** For example "2 calls are being hung up." */
export function hungUp(calls: number): string {
  if (calls === 0) return "These calls had already ended.";
  return calls === 1 ? "1 call is being hung up." : `${calls} calls are being hung up.`;
}

interface SimpleDialogProps extends About {
  readonly action: SimpleAction;
  readonly onClose: () => void;
  readonly done: Done;
}

export function SimpleDialog({ action, customer, entry, onClose, done }: SimpleDialogProps) {
  const { title, text, ends = false, send } = ACTIONS[action];
  const about = { customer, entry };
  return (
    <ReasonDialog
      title={title}
      text={text(about)}
      action={ACTION_LABELS[action]}
      ends={ends}
      onClose={onClose}
      onConfirm={async (reason) => done(await send(about, reason))}
    />
  );
}
