import { MAX_NOTE_CHARS, REFUND_HASH, refundReasons } from "@farline/contract/constants.ts";
import type { CallDetailsResponse, RefundReason, RefundRequest } from "@farline/contract/call-details.ts";
import { useId, useState } from "react";
import { useTranslation } from "react-i18next";
import { useLocation } from "react-router";
import { formatDate, formatExact } from "../../../text/format.ts";
import { messageOf } from "../../../service/http.ts";
import { refreshCalls, refreshMoney } from "../../../service/queries.ts";
import { useDraft } from "../../../service/use-draft.ts";
import { Banner } from "../../../ui/messages/banner.tsx";
import { Badge } from "../../../ui/status-badge.tsx";
import { Card } from "../../../ui/card.tsx";
import { Button } from "../../../ui/button.tsx";
import { askRefund } from "../history-queries.ts";
import { FilledField, Form } from "../../../ui/forms/form.tsx";
import { ValueList } from "../../../ui/value-list.tsx";
import { classNames } from "../../../ui/class-names.ts";
import * as styles from "./call-page.module.css";
import * as fieldStyles from "../../../ui/forms/field.module.css";

interface RefundCardProps {
  readonly callId: string;
  readonly details: CallDetailsResponse;
}

/** Refund request for a call and its outcome. Hidden for free calls. */
export function RefundCard({ callId, details }: RefundCardProps) {
  const { t } = useTranslation("history");
  const [open, setOpen] = useState(useLocation().hash === REFUND_HASH);
  const { refund_request: request, may_ask_refund: mayAsk } = details;
  if (request === null && !mayAsk) return null;
  return (
    <Card title={t("refund.title")} className={styles.refund} aside={request !== null && <State of={request.state} />}>
      {request !== null && <Outcome request={request} />}
      {request === null && <p className="muted">{t("refund.text")}</p>}
      {request === null && !open && <Button onClick={() => setOpen(true)}>{t("refund.open")}</Button>}
      {request === null && open && <RefundForm callId={callId} />}
    </Card>
  );
}

const BADGES = { open: "ringing", refunded: "completed", declined: "cancelled" } as const;

function State({ of }: { readonly of: RefundRequest["state"] }) {
  const { t } = useTranslation("history");
  return (
    <Badge like={BADGES[of]}>
      <span>{t(`refund.state.${of}`)}</span>
    </Badge>
  );
}

function Outcome({ request }: { readonly request: RefundRequest }) {
  const { t } = useTranslation("history");
  const date = formatDate(request.decided_at ?? request.created_at);
  return (
    <>
      <p role="status">{t(`refund.${request.state}Text`, { date, amount: formatExact(request.amount) })}</p>
      <ValueList
        className={styles.words}
        of={[
          {
            name: t("refund.yours"),
            value: (
              <>
                <span>{t(`refund.reason.${request.reason}`)}</span>
                {request.note !== "" && <span className={styles.note}>{request.note}</span>}
              </>
            ),
          },
          { name: t("refund.answer"), value: request.answer },
        ]}
      />
    </>
  );
}

function RefundForm({ callId }: { readonly callId: string }) {
  const { t } = useTranslation("history");
  const id = useId();
  const [reason, setReason] = useState<RefundReason | null>(null);
  const [note, setNote] = useState("");
  const [failure, setFailure] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const forgetDraft = useDraft(`refund ${callId}`, { reason, note }, (kept) => {
    setReason(kept.reason);
    setNote(kept.note);
  });
  const send = async (): Promise<void> => {
    if (reason === null) return setFailure(t("refund.choose"));
    setBusy(true);
    setFailure(null);
    try {
      await askRefund(callId, { reason, note });
      forgetDraft();
      await Promise.all([refreshCalls(), refreshMoney()]);
    } catch (error) {
      setFailure(messageOf(error, t("refund.failure")));
      setBusy(false);
    }
  };
  return (
    <Form className={styles.form} noValidate onSubmit={send}>
      <fieldset>
        <legend>{t("refund.reasonLabel")}</legend>
        {refundReasons.map((option, index) => (
          <label className={styles.choice} key={option}>
            <input
              type="radio"
              name="reason"
              value={option}
              checked={reason === option}
              // oxlint-disable-next-line jsx-a11y/no-autofocus -- the reader has just asked for this form
              autoFocus={index === 0}
              onChange={() => setReason(option)}
            />
            <span>{t(`refund.reason.${option}`)}</span>
          </label>
        ))}
      </fieldset>
      <div className={fieldStyles.field}>
        <label htmlFor={id}>
          <span>{`${t("refund.noteLabel")} `}</span>
          <span className={fieldStyles.opt}>{`(${t("refund.optional")})`}</span>
        </label>
        <FilledField id={id} value={note} onFilled={setNote} />
        <textarea
          id={id}
          className={classNames(fieldStyles.input, styles.text)}
          rows={3}
          autoComplete="off"
          maxLength={MAX_NOTE_CHARS}
          value={note}
          onChange={(event) => setNote(event.target.value)}
        />
      </div>
      {failure !== null && <Banner kind="error">{failure}</Banner>}
      <Button type="submit" pair="action" busy={busy}>
        {t(busy ? "refund.busy" : "refund.submit")}
      </Button>
    </Form>
  );
}
