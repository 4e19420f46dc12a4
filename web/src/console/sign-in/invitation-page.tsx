import type { InvitationResponse, OperatorSessionResponse } from "@farline/contract/operator/session.ts";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useNavigate } from "react-router";
import * as styles from "../console.module.css";
import { QrCode } from "../../features/account/sign-in-methods/authenticator-card.tsx";
import { messageOf } from "../../service/http.ts";
import { useServiceForm } from "../../service/use-service-form.ts";
import { makePasskey, passkeysSupported } from "../../session/passkey.ts";
import { loadTexts } from "../../text/i18n.ts";
import { Button } from "../../ui/button.tsx";
import { LoadFailure } from "../../ui/empty-state.tsx";
import { Field, PasswordField } from "../../ui/forms/field.tsx";
import { Form } from "../../ui/forms/form.tsx";
import { Banner } from "../../ui/messages/banner.tsx";
import { consoleRequest } from "../console-request.ts";
import { useSignedIn } from "../console-session.tsx";
import { SignInFrame, usePasskey } from "./sign-in-page.tsx";
import { Loading } from "../shell/figures.tsx";

/** Where the link of an invitation leads: the operator chooses how to sign in. */
export function InvitationPage() {
  const [token] = useState(takeToken);
  const invitation = useQuery({
    queryKey: ["invitation", token],
    queryFn: () => consoleRequest("POST /api/operator/invitation", { body: { token } }),
    staleTime: Infinity,
  });
  return (
    <SignInFrame title="Set up your sign-in">
      {invitation.isPending && <Loading />}
      {invitation.isError && (
        <Banner kind="error">{messageOf(invitation.error, "The link could not be checked. Load the page again.")}</Banner>
      )}
      {invitation.isSuccess && <Choice invitation={invitation.data} token={token} />}
    </SignInFrame>
  );
}

interface ChoiceProps {
  readonly invitation: InvitationResponse;
  readonly token: string;
}

function Choice({ invitation: { name, email, role }, token }: ChoiceProps) {
  const signedIn = useSignedIn();
  const navigate = useNavigate();
  const passkey = usePasskey();
  const [withPassword, setWithPassword] = useState(!passkeysSupported());
  const open = (session: OperatorSessionResponse) => {
    signedIn(session);
    void navigate("/operator", { replace: true });
  };
  const createPasskey = () =>
    passkey.use(async () => {
      const { options } = await consoleRequest("POST /api/operator/invitation/passkey/options", { body: { token } });
      const credential = await makePasskey(options);
      open(await consoleRequest("POST /api/operator/invitation/passkey", { body: { token, credential } }));
    });
  return (
    <>
      <p>{`${name} (${email}), your role is ${role}.`}</p>
      {passkey.failure !== null && <Banner kind="error">{passkey.failure}</Banner>}
      {withPassword ? (
        <InvitationPasswordForm token={token} email={email} onSignedIn={open} />
      ) : (
        <>
          <Button pair="action" size="lg" wide busy={passkey.busy} onClick={() => void createPasskey()}>
            Create a passkey
          </Button>
          <Button wide onClick={() => setWithPassword(true)}>
            Use a password and an authenticator instead
          </Button>
        </>
      )}
    </>
  );
}

/** Takes the link's secret out of the address, so that it does not stay in the history. */
function takeToken(): string {
  const token = window.location.hash.slice(1);
  if (token !== "") window.history.replaceState(window.history.state, "", window.location.pathname);
  return token;
}

interface InvitationPasswordFormProps {
  readonly token: string;
  readonly email: string;
  readonly onSignedIn: (session: OperatorSessionResponse) => void;
}

/** Sets a password and an authenticator: neither signs in without the other. */
function InvitationPasswordForm({ token, email, onSignedIn }: InvitationPasswordFormProps) {
  const setup = useQuery({
    queryKey: ["authenticator", token],
    queryFn: async () => {
      // The picture's label.
      await loadTexts("account");
      return consoleRequest("POST /api/operator/invitation/authenticator", { body: { token } });
    },
    staleTime: Infinity,
  });
  const form = useServiceForm({
    empty: { password: "", password_confirmation: "", code: "" },
    send: async (values) =>
      onSignedIn(await consoleRequest("POST /api/operator/invitation/password", { body: { token, ...values } })),
    fallback: "The sign-in could not be set up. Try again.",
  });
  if (setup.isPending) return <Loading />;
  if (setup.isError) return <LoadFailure text="The authenticator could not be set up" of={setup} />;
  return (
    <Form className={styles.form} noValidate onSubmit={form.submit}>
      {form.failure !== null && <Banner kind="error">{form.failure}</Banner>}
      <div className={styles.qr}>
        <p>Scan this with an authenticator app, or type the key.</p>
        <QrCode qr={setup.data.qr} />
        <code className={styles.secret} aria-label="Key">
          {setup.data.secret}
        </code>
      </div>
      <Field
        label="Code that the app shows"
        className="fig"
        autoComplete="one-time-code"
        inputMode="numeric"
        {...form.required("code", "Enter the six digits that your authenticator shows.")}
      />
      <PasswordField
        account={email}
        label="New password"
        autoComplete="new-password"
        {...form.required("password", "Enter a password.")}
      />
      <PasswordField
        account="above"
        label="New password again"
        autoComplete="new-password"
        {...form.required("password_confirmation", "Enter the password again.")}
      />
      <Button pair="action" size="lg" wide type="submit" busy={form.busy}>
        Set up the sign-in
      </Button>
    </Form>
  );
}
