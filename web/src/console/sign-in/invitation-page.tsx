import type { InvitationResponse, OperatorSessionResponse } from "@farline/contract/operator/session.ts";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useNavigate } from "react-router";
import { messageOf } from "../../service/http.ts";
import { makePasskey, passkeysSupported } from "../../session/passkey.ts";
import { Button, Spinner } from "../../ui/button.tsx";
import { Banner } from "../../ui/messages/banner.tsx";
import { consoleRequest } from "../console-request.ts";
import { useSignedIn } from "../console-session.tsx";
import { InvitationPasswordForm } from "./invitation-password-form.tsx";
import { passkeyProblem } from "./sign-in-form.tsx";
import { SignInFrame } from "./sign-in-frame.tsx";

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
      {invitation.isPending && <Spinner />}
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
  const [problem, setProblem] = useState<string | null>(null);
  const [asking, setAsking] = useState(false);
  const [withPassword, setWithPassword] = useState(!passkeysSupported());
  const open = (session: OperatorSessionResponse) => {
    signedIn(session);
    void navigate("/operator", { replace: true });
  };
  const createPasskey = async () => {
    setProblem(null);
    setAsking(true);
    try {
      const { options } = await consoleRequest("POST /api/operator/invitation/passkey/options", { body: { token } });
      const credential = await makePasskey(options);
      open(await consoleRequest("POST /api/operator/invitation/passkey", { body: { token, credential } }));
    } catch (error) {
      setProblem(passkeyProblem(error));
    } finally {
      setAsking(false);
    }
  };
  return (
    <>
      <p>{`${name} (${email}), your role is ${role}.`}</p>
      {problem !== null && <Banner kind="error">{problem}</Banner>}
      {withPassword ? (
        <InvitationPasswordForm token={token} email={email} onSignedIn={open} />
      ) : (
        <>
          <Button pair="action" size="lg" wide busy={asking} onClick={() => void createPasskey()}>
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
