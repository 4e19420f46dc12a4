import type { CallerIdResponse, CallerNumber } from "@farline/contract/caller-id.ts";
import { readCallCode } from "@farline/domain/typed/typed-codes.ts";
import { useQuery } from "@tanstack/react-query";
import { useId, useState } from "react";
import { useTranslation } from "react-i18next";
import { request } from "../../service/http.ts";
import { callerIdQuery, configQuery } from "../../service/queries.ts";
import { queryClient } from "../../service/query-client.ts";
import { useServiceForm } from "../../service/use-service-form.ts";
import { formatDate } from "../../text/format.ts";
import { writeNumber } from "../../text/phone-text.ts";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { classNames } from "../../ui/class-names.ts";
import { Field } from "../../ui/forms/field.tsx";
import { FormNumberQuestion } from "../../ui/forms/form-fields.tsx";
import { Form } from "../../ui/forms/form.tsx";
import { Banner } from "../../ui/messages/banner.tsx";
import { toast } from "../../ui/messages/toast.ts";
import { useChange } from "../../ui/use-change.ts";
import { Loaded } from "../../ui/waiting/loaded.tsx";
import { CardForm, ConfirmDialog } from "./account-controls.tsx";
import { keepCallerId } from "./account-queries.ts";
import * as styles from "./account.module.css";

type CallerId = CallerIdResponse["caller_id"];

/** The number that called people see: the service's, or one of the customer's own, verified by a call that reads out a code. */
export function CallerIdCard() {
  const { t } = useTranslation("account");
  const callerId = useQuery(callerIdQuery);
  return (
    <Card title={t("callerId.title")}>
      <p className={classNames(styles.lead, "muted")}>{t("callerId.text")}</p>
      <Loaded of={callerId} failure={t("callerId.loadFailure")} rows={2}>
        {(data) => <Numbers callerId={data} />}
      </Loaded>
    </Card>
  );
}

function Numbers({ callerId }: { readonly callerId: CallerId }) {
  const { t } = useTranslation("account");
  const name = useId();
  const { busy, failure, change } = useChange(t("callerId.failure"));
  const [leaving, setLeaving] = useState<string | null>(null);
  const call = useCallWithCode(callerId.check);

  const choose = (number: string | null) =>
    change(async () => {
      await keepCallerId(await request("PUT /api/calls/caller-id", { body: { number } }));
      toast.success(t("callerId.chosen", { number: writeNumber(number ?? callerId.service_number) }));
    });
  const remove = (number: string) => {
    setLeaving(null);
    return change(async () => {
      await keepCallerId(await request("DELETE /api/calls/caller-id/numbers/:number", { params: { number } }));
      toast.success(t("callerId.removed"));
    });
  };

  return (
    <>
      {failure !== null && <Banner kind="error">{failure}</Banner>}
      <fieldset className={styles.callerid} disabled={busy}>
        <legend>{t("callerId.legend")}</legend>
        <label className={styles.numberChoice}>
          <input
            type="radio"
            name={name}
            checked={callerId.shown === callerId.service_number}
            onChange={() => void choose(null)}
          />
          <span>{writeNumber(callerId.service_number)}</span>
          <span className="muted small">{t("callerId.service")}</span>
        </label>
        {callerId.numbers.map((one) => (
          <OwnNumber
            key={one.number}
            one={one}
            name={name}
            chosen={callerId.shown === one.number}
            onChoose={() => void choose(one.number)}
            onRemove={() => setLeaving(one.number)}
          />
        ))}
      </fieldset>
      <div className={styles.foot}>
        {call.opened !== null ? (
          <EnterCodeForm
            key={call.opened.expires_at}
            number={call.opened.number}
            attemptsLeft={callerId.check?.attempts_left ?? 0}
            onClose={call.close}
          />
        ) : (
          <AddNumber callerId={callerId} />
        )}
      </div>
      <ConfirmDialog
        open={leaving !== null}
        title={t("callerId.removeTitle", { number: writeNumber(leaving ?? "") })}
        text={t("callerId.removeText")}
        action={t("callerId.remove")}
        onConfirm={() => leaving !== null && void remove(leaving)}
        onClose={() => setLeaving(null)}
      />
    </>
  );
}

/**
 * The verification call whose code is entered. Kept after the code expires, so that the form can say so and offer another call, and
 * discarded when the form is closed.
 */
function useCallWithCode(check: CallerId["check"]) {
  const [opened, setOpened] = useState(check);
  const [closed, setClosed] = useState<string | null>(null);
  if (check !== null && check.expires_at !== opened?.expires_at && check.expires_at !== closed) setOpened(check);
  const close = () => {
    setClosed(opened?.expires_at ?? null);
    setOpened(null);
  };
  return { opened, close };
}

interface OwnNumberProps {
  readonly one: CallerNumber;
  readonly name: string;
  readonly chosen: boolean;
  readonly onChoose: () => void;
  readonly onRemove: () => void;
}

function OwnNumber({ one, name, chosen, onChoose, onRemove }: OwnNumberProps) {
  const { t } = useTranslation("account");
  const number = writeNumber(one.number);
  return (
    <div className={styles.ownNumber}>
      <label className={styles.numberChoice}>
        <input type="radio" name={name} checked={chosen} disabled={one.needs_proof} onChange={onChoose} />
        <span>{number}</span>
        <span className="muted small">
          {one.needs_proof ? t("callerId.lapsed") : t("callerId.since", { date: formatDate(one.proven_at) })}
        </span>
      </label>
      <Button size="sm" aria-label={t("callerId.removeOne", { number })} onClick={onRemove}>
        {t("callerId.remove")}
      </Button>
    </div>
  );
}

/** A button that opens the form for another number. Suggests a number that has to be verified again. */
function AddNumber({ callerId }: { readonly callerId: CallerIdResponse["caller_id"] }) {
  const { t } = useTranslation("account");
  const [typing, setTyping] = useState(false);
  const lapsed = callerId.numbers.find((one) => one.needs_proof)?.number;
  if (typing) return <AddNumberForm number={lapsed ?? ""} onClose={() => setTyping(false)} />;
  if (lapsed !== undefined)
    return <Button onClick={() => setTyping(true)}>{t("callerId.again", { number: writeNumber(lapsed) })}</Button>;
  if (callerId.numbers.length >= callerId.max_numbers)
    return <p className="muted small">{t("callerId.full", { count: callerId.max_numbers })}</p>;
  return <Button onClick={() => setTyping(true)}>{t("callerId.add")}</Button>;
}

/** Asks for a number and requests the call to it. */
function AddNumberForm({ number, onClose }: { readonly number: string; readonly onClose: () => void }) {
  const { t } = useTranslation(["account", "common"]);
  const form = useServiceForm({
    empty: { phone_number: number },
    send: async (body) => keepCallerId(await request("POST /api/calls/caller-id/checks", { body })),
    fallback: t("callerId.callFailure"),
    focusOnRefusal: "phone_number",
    focusAtFirst: "phone_number",
  });
  return (
    <CardForm form={form} action={t("callerId.callMe")} onCancel={onClose}>
      <Field
        label={t("callerId.number")}
        hint={t("callerId.numberHint")}
        type="tel"
        dir="ltr"
        inputMode="tel"
        autoComplete="tel"
        {...form.required("phone_number", t("callerId.numberRequired"))}
      />
      <FormNumberQuestion form={form} />
    </CardForm>
  );
}

interface EnterCodeFormProps {
  /** The number being called. */
  readonly number: string;
  readonly attemptsLeft: number;
  readonly onClose: () => void;
}

/** Shown while the phone rings: a form for the code that the call reads. */
function EnterCodeForm({ number, attemptsLeft, onClose }: EnterCodeFormProps) {
  const { t } = useTranslation(["account", "common"]);
  const again = useChange(t("callerId.callFailure"));
  const form = useServiceForm({
    empty: { code: "" },
    send: async ({ code }) => {
      try {
        await keepCallerId(
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
      await keepCallerId(await request("POST /api/calls/caller-id/checks", { body }));
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
        {...form.required("code", t("callerId.codeRequired"))}
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
