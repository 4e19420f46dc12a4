import type { OperatorSessionResponse } from "@farline/contract/operator/session.ts";
import { IconFingerprint } from "@tabler/icons-react";
import { useMutation, useQuery } from "@tanstack/react-query";
import { type ReactNode, useEffect, useState } from "react";
import * as styles from "../console.module.css";
import { messageOf } from "../../service/http.ts";
import { useServiceForm } from "../../service/use-service-form.ts";
import { PasskeyError, passkeysSupported, signWithPasskey } from "../../session/passkey.ts";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { classNames } from "../../ui/class-names.ts";
import { Dialog } from "../../ui/dialogs/dialog.tsx";
import { Field, PasswordField } from "../../ui/forms/field.tsx";
import { Form } from "../../ui/forms/form.tsx";
import { Icon } from "../../ui/icon.tsx";
import { Banner } from "../../ui/messages/banner.tsx";
import { useChange } from "../../ui/use-change.ts";
import { consoleRequest, onProofNeeded } from "../console-request.ts";
import { useConsoleSession, useHasEnded, useSignedIn } from "../console-session.tsx";
import { ConsoleBar } from "../shell/console-shell.tsx";
import { Loading } from "../shell/figures.tsx";
import { usePageTitle } from "../shell/texts.ts";

/** Shown at every address of the console while nobody is signed in. */
export function SignInPage() {
  const signedIn = useSignedIn();
  const hasEnded = useHasEnded();
  return (
    <SignInFrame title="Operators' sign-in">
      {hasEnded && (
        <Banner kind="info">Your session has ended. If you can no longer sign in, ask an administrator for access.</Banner>
      )}
      <SignInForm onSignedIn={signedIn} />
    </SignInFrame>
  );
}

interface SignInFormProps {
  /** Of the operator who must prove who they are; empty for anybody. */
  readonly email?: string;
  readonly onSignedIn: (session: OperatorSessionResponse) => void;
}

/** Signs in with a passkey, or with a password and an authenticator's code. */
function SignInForm({ email = "", onSignedIn }: SignInFormProps) {
  const passkey = usePasskey();
  const form = useServiceForm({
    empty: { email, password: "", code: "" },
    send: async (values) => {
      passkey.clear();
      onSignedIn(await consoleRequest("POST /api/operator/sign-in", { body: values }));
    },
    fallback: "The sign-in did not work. Try again.",
    focusOnRefusal: "password",
  });
  const signWithKey = () =>
    passkey.use(async () => {
      const { options } = await consoleRequest("POST /api/operator/sign-in/passkey/options");
      const credential = await signWithPasskey(options);
      onSignedIn(await consoleRequest("POST /api/operator/sign-in/passkey", { body: { credential } }));
    });
  const failure = passkey.failure ?? form.failure;
  return (
    <div className={styles.form}>
      {failure !== null && <Banner kind="error">{failure}</Banner>}
      {passkeysSupported() && (
        <Button pair="action" size="lg" wide busy={passkey.busy} onClick={() => void signWithKey()}>
          <Icon of={IconFingerprint} />
          <span>Use a passkey</span>
        </Button>
      )}
      <Form className={styles.form} noValidate onSubmit={form.submit}>
        <Field
          label="Email"
          type="email"
          autoComplete="username"
          readOnly={email !== ""}
          {...form.required("email", "Enter your email address.")}
        />
        <PasswordField
          account="above"
          label="Password"
          autoComplete="current-password"
          {...form.required("password", "Enter your password.")}
        />
        <Field
          label="Code of your authenticator"
          className="fig"
          autoComplete="one-time-code"
          inputMode="numeric"
          {...form.required("code", "Enter the six digits that your authenticator shows.")}
        />
        <Button size="lg" wide type="submit" busy={form.busy}>
          Sign in with the password
        </Button>
      </Form>
    </div>
  );
}

/** Creates or uses a passkey, and keeps why that failed; nothing failed if the operator stopped. */
export function usePasskey() {
  const { busy, failure, change, clear } = useChange("The passkey did not work. Try again, or use another way.");
  const use = (action: () => Promise<void>) =>
    change(() =>
      action().catch((error: unknown) => {
        if (!(error instanceof PasskeyError && error.problem === "stopped")) throw error;
      }),
    );
  return { busy, failure, use, clear };
}

/** A narrow page for signed-out operators. */
export function SignInFrame({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  usePageTitle(title);
  return (
    <>
      <ConsoleBar />
      <main className={classNames(styles.signIn, "page")} id="main">
        <Card className="stack">
          <h1 className="t-card">{title}</h1>
          {children}
        </Card>
      </main>
    </>
  );
}

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

const FAILURE = "The code could not be checked. Run sign-in again.";

/** Where `npm run cli -- sign-in` leads: the operator compares the code and signs that command line in. */
export function CommandLinePage() {
  usePageTitle("Command line");
  const [code] = useState(() => window.location.hash.slice(1));
  const waiting = useQuery({
    queryKey: ["command-line", code],
    queryFn: () => consoleRequest("POST /api/operator/command-line/device", { body: { code } }),
    staleTime: Infinity,
  });
  const confirm = useMutation({ mutationFn: () => consoleRequest("POST /api/operator/command-line", { body: { code } }) });
  if (waiting.isPending) return <Loading />;
  return (
    <Card className="stack">
      <h1 className="t-page">Sign in a command line</h1>
      {waiting.isError && <Banner kind="error">{messageOf(waiting.error, FAILURE)}</Banner>}
      {confirm.isError && <Banner kind="error">{messageOf(confirm.error, FAILURE)}</Banner>}
      {confirm.isSuccess && <Banner kind="info">Signed in. Go back to the command line.</Banner>}
      {waiting.isSuccess && !confirm.isSuccess && (
        <>
          <p>{`${waiting.data.device} wants to act as you. Confirm only if you have just started this yourself, and if it shows this code:`}</p>
          <p className={styles.code}>{code}</p>
          <div className="row">
            <Button pair="action" size="lg" busy={confirm.isPending} onClick={() => confirm.mutate()}>
              Confirm
            </Button>
          </div>
        </>
      )}
    </Card>
  );
}
