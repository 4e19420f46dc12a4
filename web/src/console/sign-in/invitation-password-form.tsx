import type { OperatorSessionResponse } from "@farline/contract/operator/session.ts";
import { useQuery } from "@tanstack/react-query";
import { QrCode } from "../../features/account/sign-in-methods/authenticator-card.tsx";
import { useServiceForm } from "../../service/use-service-form.ts";
import { loadTexts } from "../../text/i18n.ts";
import { Button } from "../../ui/button.tsx";
import { Field, PasswordField } from "../../ui/forms/field.tsx";
import { Form } from "../../ui/forms/form.tsx";
import { LoadFailure } from "../../ui/empty-state.tsx";
import { Banner } from "../../ui/messages/banner.tsx";
import { Spinner } from "../../ui/waiting/spinner.tsx";
import { consoleRequest } from "../console-request.ts";
import * as styles from "./sign-in.module.css";

interface InvitationPasswordFormProps {
  readonly token: string;
  readonly email: string;
  readonly onSignedIn: (session: OperatorSessionResponse) => void;
}

/** Sets a password and an authenticator: neither signs in without the other. */
export function InvitationPasswordForm({ token, email, onSignedIn }: InvitationPasswordFormProps) {
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
  if (setup.isPending) return <Spinner />;
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
      <input type="hidden" autoComplete="username" value={email} readOnly />
      <Field
        label="Code that the app shows"
        className="fig"
        autoComplete="one-time-code"
        inputMode="numeric"
        required
        {...form.field("code", { required: "Enter the six digits that your authenticator shows." })}
      />
      <PasswordField
        label="New password"
        autoComplete="new-password"
        required
        {...form.field("password", { required: "Enter a password." })}
      />
      <PasswordField
        label="New password again"
        autoComplete="new-password"
        required
        {...form.field("password_confirmation", { required: "Enter the password again." })}
      />
      <Button pair="action" size="lg" wide type="submit" busy={form.busy}>
        Set up the sign-in
      </Button>
    </Form>
  );
}
