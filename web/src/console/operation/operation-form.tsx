import type { AnswerOf, EndpointName } from "@farline/contract/api/api.ts";
import { declarationOf, type OperationName, type operations } from "@farline/contract/operator/operations.ts";
import { useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { Link } from "react-router";
import { randomId } from "../../browser/random-id.ts";
import { ApiError } from "../../service/http.ts";
import { Button, buttonClass } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialogs/dialog.tsx";
import { toast } from "../../ui/messages/toast.ts";
import { consoleRequest } from "../console-request.ts";
import { PROPOSALS } from "../queue/queue-kinds.ts";
import { CheckBox } from "../shell/fields.tsx";
import { FormDialog } from "./form-dialog.tsx";
import { bodyOf, fieldsOf, isGuarded } from "./operation-fields.ts";

type About = Parameters<NonNullable<ReturnType<typeof declarationOf>["says"]>>[0];
export type OperationAnswer<N extends OperationName> = AnswerOf<(typeof operations)[N]["route"]>;

interface OperationFormProps<N extends OperationName> {
  readonly operation: N;
  /** What it is about; null if the operator types it, or if nothing is in its path. */
  readonly subject: string | null;
  /** For a customer or an entry of their timeline: what the declared sentence names. */
  readonly about?: About;
  /** In place of the declared words. */
  readonly title?: string;
  readonly text?: ReactNode;
  readonly action?: string;
  /** The part of the input that is known. The form asks for the rest. */
  readonly input?: Readonly<Record<string, unknown>>;
  /** What the fields begin with. */
  readonly initial?: Readonly<Record<string, string>>;
  /** Why the known part cannot be sent yet. */
  readonly problem?: string | null;
  /** A preview, or how the known part is chosen. */
  readonly children?: ReactNode;
  readonly onClose: () => void;
  /** In place of the declared outcome, for an answer that is shown or saved. */
  readonly onDone?: (answer: OperationAnswer<N>) => void;
  /** Called with why, if it no longer can be done: somebody else was faster. Default: the form says so. */
  readonly onOutdated?: (message: string) => void;
}

/**
 * The form of every operation, as it is declared: the sentence, the fields of its input with the reason, and its outcome, which may be a
 * proposal for a second operator.
 */
export function OperationForm<N extends OperationName>({ operation, subject, ...given }: OperationFormProps<N>) {
  const { label, ends, says } = declarationOf(operation);
  const {
    about = NOBODY,
    title = label,
    action = label,
    input = {},
    problem = null,
    children,
    onClose,
    onDone,
    onOutdated,
  } = given;
  const { send, guard, isProposed } = useOperation(operation, subject, { onClose, onDone, onOutdated });
  if (isProposed) return <AwaitingApproval onClose={onClose} />;
  const typesSubject = subject === null && declarationOf(operation).subject !== null;
  const fields = fieldsOf(operation, typesSubject, Object.keys(input));
  return (
    <FormDialog
      title={title}
      text={given.text ?? says?.(about) ?? ""}
      action={action}
      ends={ends ?? false}
      fields={fields}
      initial={given.initial ?? {}}
      onClose={onClose}
      onConfirm={(typed) => {
        if (problem !== null) throw new ApiError(422, "validation_failed", problem);
        return send({ ...input, ...bodyOf(fields, typed) });
      }}
    >
      {children}
      {guard.isRepeated && <CheckBox label="Yes, do it again" checked={guard.again} onCheck={guard.setAgain} />}
    </FormDialog>
  );
}

interface Outcomes<N extends OperationName> {
  readonly onClose: () => void;
  readonly onDone?: ((answer: OperationAnswer<N>) => void) | undefined;
  readonly onOutdated?: ((message: string) => void) | undefined;
}

/** Sends an operation and says its outcome. `isProposed`: nothing was done, because it waits for a second operator. */
export function useOperation<N extends OperationName>(operation: N, subject: string | null, outcomes: Outcomes<N>) {
  const { onClose, onDone, onOutdated } = outcomes;
  const client = useQueryClient();
  const guard = useRepeatGuard();
  const [isProposed, setProposed] = useState(false);
  const carryOut = async (input: Record<string, unknown>): Promise<void> => {
    const { path, body } = requestOf(operation, subject, input);
    const answer = await guard.send((once) => request(operation, path, { ...body, ...(isGuarded(operation) ? once : {}) }));
    void client.invalidateQueries();
    if (answer?.proposal) return setProposed(true);
    if (onDone === undefined) {
      toast.success(outcomeOf(operation, answer));
      onClose();
    } else onDone(answer as OperationAnswer<N>);
  };
  /** @throws ApiError as the service refuses, unless somebody else was faster and `onOutdated` says so */
  const send = async (input: Record<string, unknown>): Promise<void> => {
    try {
      await carryOut(input);
    } catch (error) {
      const isOutdated = error instanceof ApiError && (error.code === "conflict" || error.code === "not_found");
      if (isOutdated) void client.invalidateQueries();
      if (!isOutdated || onOutdated === undefined) throw error;
      onOutdated(error.message);
      onClose();
    }
  };
  return { send, guard, isProposed };
}

const NOBODY: About = { email: "", sessions: 0, liveCalls: 0, debt: "0.00", alone: "0.00", entry: null };

/** The subject goes into the path, the rest into the body. */
function requestOf(operation: OperationName, given: string | null, { ...body }: Record<string, unknown>) {
  const { route, subject } = declarationOf(operation);
  const [, parameter] = /:(\w+)/.exec(route) ?? [];
  if (parameter === undefined || subject === null) return { path: {}, body };
  const id = given ?? body[subject];
  if (given === null) delete body[subject];
  return { path: { [parameter]: id }, body };
}

function request(operation: OperationName, params: object, body: object): Promise<Answer> {
  const send = consoleRequest as (name: EndpointName, options: object) => Promise<Answer>;
  return send(declarationOf(operation).route as EndpointName, { params, body, typed: true });
}

type Answer = { readonly proposal?: string | null } | undefined;

function outcomeOf(operation: OperationName, answer: Answer): string {
  const { done } = declarationOf(operation);
  return (done as ((answer: unknown) => string) | undefined)?.(answer) ?? "Done.";
}

/**
 * Guards a form that moves money with a key made when it opens, so that a double press or a lost answer moves nothing twice. If the
 * service says that the same was done within the last hour, `isRepeated` is true and the operator can say that it is meant.
 */
function useRepeatGuard() {
  const [key] = useState(() => randomId());
  const [isRepeated, setRepeated] = useState(false);
  const [again, setAgain] = useState(false);
  const send = async <Result,>(run: (once: { readonly key: string; readonly again: boolean }) => Promise<Result>) => {
    try {
      return await run({ key, again });
    } catch (error) {
      if (error instanceof ApiError && error.reason === "operator.done_before") setRepeated(true);
      throw error;
    }
  };
  return { send, isRepeated, again, setAgain };
}

/** Says that nothing was done yet. */
export function AwaitingApproval({ onClose }: { readonly onClose: () => void }) {
  return (
    <Dialog open onClose={onClose} title="Awaiting approval">
      <div className="stack">
        <p>Nothing has changed yet. You may not do this alone, so another operator must confirm it within a day.</p>
        <div className="row">
          <Button onClick={onClose}>Close</Button>
          <Link className={buttonClass({ pair: "action" })} to={PROPOSALS}>
            See the proposals
          </Link>
        </div>
      </div>
    </Dialog>
  );
}
