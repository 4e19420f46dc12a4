import type { OperatorSessionResponse } from "@farline/contract/operator/session.ts";
import { IconFingerprint } from "@tabler/icons-react";
import { useState } from "react";
import { messageOf } from "../../service/http.ts";
import { useServiceForm } from "../../service/use-service-form.ts";
import { PasskeyError, passkeysSupported, signWithPasskey } from "../../session/passkey.ts";
import { Button } from "../../ui/button.tsx";
import { Field, PasswordField } from "../../ui/forms/field.tsx";
import { Form } from "../../ui/forms/form.tsx";
import { Icon } from "../../ui/icon.tsx";
import { Banner } from "../../ui/messages/banner.tsx";
import { consoleRequest } from "../console-request.ts";
import * as styles from "./sign-in.module.css";

interface SignInFormProps {
  /** Of the operator who must prove who they are; empty for anybody. */
  readonly email?: string;
  readonly onSignedIn: (session: OperatorSessionResponse) => void;
}

/** Signs in with a passkey, or with a password and an authenticator's code. */
export function SignInForm({ email = "", onSignedIn }: SignInFormProps) {
  const [problem, setProblem] = useState<string | null>(null);
  const [asking, setAsking] = useState(false);
  const form = useServiceForm({
    empty: { email, password: "", code: "" },
    send: async (values) => {
      setProblem(null);
      onSignedIn(await consoleRequest("POST /api/operator/sign-in", { body: values }));
    },
    fallback: "The sign-in did not work. Try again.",
    focusOnRefusal: "password",
  });
  const signWithKey = async () => {
    setProblem(null);
    setAsking(true);
    try {
      const { options } = await consoleRequest("POST /api/operator/sign-in/passkey/options");
      const credential = await signWithPasskey(options);
      onSignedIn(await consoleRequest("POST /api/operator/sign-in/passkey", { body: { credential } }));
    } catch (error) {
      setProblem(passkeyProblem(error));
    } finally {
      setAsking(false);
    }
  };
  const failure = problem ?? form.failure;
  return (
    <div className={styles.form}>
      {failure !== null && <Banner kind="error">{failure}</Banner>}
      {passkeysSupported() && (
        <Button pair="action" size="lg" wide busy={asking} onClick={() => void signWithKey()}>
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
          required
          {...form.field("email", { required: "Enter your email address." })}
        />
        <PasswordField
          label="Password"
          autoComplete="current-password"
          required
          {...form.field("password", { required: "Enter your password." })}
        />
        <Field
          label="Code of your authenticator"
          className="fig"
          autoComplete="one-time-code"
          inputMode="numeric"
          required
          {...form.field("code", { required: "Enter the six digits that your authenticator shows." })}
        />
        <Button size="lg" wide type="submit" busy={form.busy}>
          Sign in with the password
        </Button>
      </Form>
    </div>
  );
}

/** What to show when a passkey was not created or used; null if the operator stopped. */
export function passkeyProblem(error: unknown): string | null {
  if (error instanceof PasskeyError)
    return error.problem === "stopped" ? null : "The passkey did not work. Try again, or use another way.";
  return messageOf(error, "The passkey did not work. Try again, or use another way.");
}
