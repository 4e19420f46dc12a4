import { useSignedIn } from "../console-session.tsx";
import { SignInForm } from "./sign-in-form.tsx";
import { SignInFrame } from "./sign-in-frame.tsx";

/** Shown at every address of the console while nobody is signed in. */
export function SignInPage() {
  const signedIn = useSignedIn();
  return (
    <SignInFrame title="Operators' sign-in">
      <SignInForm onSignedIn={signedIn} />
    </SignInFrame>
  );
}
