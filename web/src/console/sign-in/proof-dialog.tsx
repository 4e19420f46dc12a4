import { useEffect, useState } from "react";
import { Dialog } from "../../ui/dialogs/dialog.tsx";
import { Button } from "../../ui/button.tsx";
import { onProofNeeded } from "../console-request.ts";
import { useConsoleSession, useSignedIn } from "../console-session.tsx";
import { SignInForm } from "./sign-in-form.tsx";

type Answer = (proved: boolean) => void;

/** Asks the operator to prove who they are, where the service requires it. */
export function ProofDialog() {
  const { operator } = useConsoleSession();
  const signedIn = useSignedIn();
  const [answer, setAnswer] = useState<Answer | null>(null);
  useEffect(() => {
    onProofNeeded(() => new Promise((resolve) => setAnswer(() => resolve)));
    return () => onProofNeeded(() => Promise.resolve(false));
  }, []);
  const finish = (proved: boolean) => {
    answer?.(proved);
    setAnswer(null);
  };
  return (
    <Dialog
      open={answer !== null}
      onClose={() => finish(false)}
      title="Confirm that it is you"
      foot={<Button onClick={() => finish(false)}>Cancel</Button>}
    >
      <SignInForm
        email={operator.email}
        onSignedIn={(session) => {
          // A passkey may be another operator's: then nothing is done in their name.
          const isSame = session.operator.id === operator.id;
          finish(isSame);
          if (!isSame) signedIn(session);
        }}
      />
    </Dialog>
  );
}
