import { readCallCode } from "@farline/domain/typed/typed-codes.ts";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { request } from "../../../service/http.ts";
import { callerIdQuery, configQuery } from "../../../service/queries.ts";
import { queryClient } from "../../../service/query-client.ts";
import { useServiceForm } from "../../../service/use-service-form.ts";
import { writeNumber } from "../../../text/phone-text.ts";
import { Banner } from "../../../ui/messages/banner.tsx";
import { Button } from "../../../ui/button.tsx";
import { Field } from "../../../ui/forms/field.tsx";
import { toast } from "../../../ui/messages/toast.ts";
import { useChange } from "../../../ui/use-change.ts";
import { keepCallerId } from "./keep-caller-id.ts";
import { Form } from "../../../ui/forms/form.tsx";
import * as styles from "../account.module.css";

interface EnterCodeFormProps {
  /** The number being called. */
  readonly number: string;
  readonly attemptsLeft: number;
  readonly onClose: () => void;
}

/** Shown while the phone rings: a form for the code that the call reads. */
export function EnterCodeForm({ number, attemptsLeft, onClose }: EnterCodeFormProps) {
  const { t } = useTranslation(["account", "common"]);
  const again = useChange(t("callerId.callFailure"));
  const form = useServiceForm({
    empty: { code: "" },
    send: async ({ code }) => {
      try {
        keepCallerId(
          await request("POST /api/calls/caller-id/checks/confirm", { body: { number, code: readCallCode(code) ?? code } }),
        );
        onClose();
        toast.success(t("callerId.proven", { number: writeNumber(number) }));
      } catch (error) {
        // Says how many attempts are left.
        void queryClient.invalidateQueries({ queryKey: callerIdQuery.queryKey });
        throw error;
      }
    },
    fallback: t("callerId.codeFailure"),
    focusOnRefusal: "code",
    focusAtFirst: "code",
  });
  const callAgain = () =>
    again.change(async () => {
      const body = { phone_number: number };
      keepCallerId(await request("POST /api/calls/caller-id/checks", { body }));
    });
  const failure = form.failure ?? again.failure;
  return (
    <Form className={styles.form} noValidate onSubmit={form.submit}>
      <p role="status">{t("callerId.calling", { number: writeNumber(number) })}</p>
      <SandboxPhone />
      {failure !== null && <Banner kind="error">{failure}</Banner>}
      <Field
        label={t("callerId.code")}
        hint={attemptsLeft > 0 ? t("callerId.codeHint", { count: attemptsLeft }) : undefined}
        dir="ltr"
        inputMode="numeric"
        autoComplete="one-time-code"
        required
        {...form.field("code", { required: t("callerId.codeRequired") })}
      />
      <div className="row">
        <Button pair="action" type="submit" busy={form.busy}>
          {t("callerId.confirm")}
        </Button>
        <Button busy={again.busy} onClick={() => void callAgain()}>
          {t("callerId.callAgain")}
        </Button>
        <Button onClick={onClose}>{t("common:cancel")}</Button>
      </div>
    </Form>
  );
}

/** In the sandbox no phone rings: its page plays what the called phone heard. */
function SandboxPhone() {
  const { t } = useTranslation("account");
  const { data: config } = useQuery(configQuery);
  if (config === undefined || config.sandbox_url === null) return null;
  return (
    <p className="muted small">
      <span>{t("callerId.sandbox")}</span>{" "}
      <a className="link" href={`${config.sandbox_url}/#calls`} target="_blank" rel="noreferrer">
        {t("callerId.sandboxLink")}
      </a>
    </p>
  );
}
