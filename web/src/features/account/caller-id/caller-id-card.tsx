import type { CallerIdResponse, CallerNumber } from "@farline/contract/caller-id.ts";
import { useQuery } from "@tanstack/react-query";
import { useId, useState } from "react";
import { useTranslation } from "react-i18next";
import { request } from "../../../service/http.ts";
import { callerIdQuery } from "../../../service/queries.ts";
import { formatDate } from "../../../text/format.ts";
import { writeNumber } from "../../../text/phone-text.ts";
import { Banner } from "../../../ui/messages/banner.tsx";
import { Button } from "../../../ui/button.tsx";
import { Card } from "../../../ui/card.tsx";
import { LoadFailure } from "../../../ui/empty-state.tsx";
import { SkeletonRows } from "../../../ui/waiting/skeleton.tsx";
import { toast } from "../../../ui/messages/toast.ts";
import { useChange } from "../../../ui/use-change.ts";
import { ConfirmDialog } from "../confirm-dialog.tsx";
import { AddNumber } from "./add-number.tsx";
import { EnterCodeForm } from "./enter-code-form.tsx";
import { keepCallerId } from "./keep-caller-id.ts";
import { classNames } from "../../../ui/class-names.ts";
import * as styles from "../account.module.css";

type CallerId = CallerIdResponse["caller_id"];

/** The number that called people see: the service's, or one of the customer's own, verified by a call that reads out a code. */
export function CallerIdCard() {
  const { t } = useTranslation("account");
  const callerId = useQuery(callerIdQuery);
  return (
    <Card title={t("callerId.title")}>
      <p className={classNames(styles.lead, "muted")}>{t("callerId.text")}</p>
      {callerId.data !== undefined ? (
        <Numbers callerId={callerId.data} />
      ) : callerId.isError ? (
        <LoadFailure text={t("callerId.loadFailure")} of={callerId} />
      ) : (
        <SkeletonRows rows={2} />
      )}
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
      keepCallerId(await request("PUT /api/calls/caller-id", { body: { number } }));
      toast.success(t("callerId.chosen", { number: writeNumber(number ?? callerId.service_number) }));
    });
  const remove = (number: string) => {
    setLeaving(null);
    return change(async () => {
      keepCallerId(await request("DELETE /api/calls/caller-id/numbers/:number", { params: { number } }));
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
