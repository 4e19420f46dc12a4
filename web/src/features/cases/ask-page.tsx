import type { CaseRequest, CaseTopic } from "@farline/contract/cases/cases.ts";
import { caseTopics, MAX_CASE_MESSAGE_CHARS } from "@farline/contract/constants.ts";
import { IconPaperclip } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { Link, useNavigate, useSearchParams } from "react-router";
import { randomId } from "../../browser/random-id.ts";
import { useOnline, useTitle } from "../../browser/page-hooks.ts";
import { ApiError } from "../../service/http.ts";
import { useFormDraft } from "../../service/use-draft.ts";
import { useServiceForm } from "../../service/use-service-form.ts";
import { formatDate, formatMoney } from "../../text/format.ts";
import { usePhoneText } from "../../text/phone-text.ts";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { LongTextField, SelectField } from "../../ui/forms/form-fields.tsx";
import { Form } from "../../ui/forms/form.tsx";
import { Icon } from "../../ui/icon.tsx";
import { Banner } from "../../ui/messages/banner.tsx";
import { toast } from "../../ui/messages/toast.ts";
import { attachedCallQuery, attachedPaymentQuery, sendQuestion } from "./cases-queries.ts";
import * as fieldStyles from "../../ui/forms/field.module.css";
import * as styles from "./cases.module.css";

/** The form that sends a question: `/cases/new`, with `?call=ID` or `?payment=ID` about that one. */
export function AskPage() {
  const { t } = useTranslation("cases");
  useTitle(t("ask"));
  return (
    <div className={styles.ask}>
      <h1 className="t-page">{t("ask")}</h1>
      <p className="lead">{t("lead")}</p>
      <p>
        <a className="link" href="/help" target="_blank" rel="noreferrer">
          {t("helpLink")}
        </a>
      </p>
      <Card>
        <AskForm />
      </Card>
    </div>
  );
}

function AskForm() {
  const { t } = useTranslation("cases");
  const online = useOnline();
  const { about, detach } = useAbout();
  const attachment = useAttachment(about);
  const form = useAskForm(about !== null && attachment.missing ? null : about);
  return (
    <Form className={styles.form} noValidate onSubmit={form.submit}>
      {form.failure !== null && <Banner kind="error">{form.failure}</Banner>}
      {about !== null && <Attachment about={about} attachment={attachment} onRemove={detach} />}
      <SelectField label={t("topic.label")} {...form.required("topic", t("topic.required"))}>
        <option value="" disabled hidden>
          {t("topic.choose")}
        </option>
        {caseTopics.map((topic) => (
          <option key={topic} value={topic}>
            {t(`topics.${topic}`)}
          </option>
        ))}
      </SelectField>
      <LongTextField
        label={t("message.label")}
        required
        rows={7}
        maxLength={MAX_CASE_MESSAGE_CHARS}
        {...form.field("message", { validate: (words) => words.trim() !== "" || t("message.required") })}
      />
      <p className={fieldStyles.hint}>{t("message.hint")}</p>
      <Button type="submit" pair="action" busy={form.busy} disabled={!online}>
        {form.busy ? t("sending") : t("send")}
      </Button>
      {!online && <p className={fieldStyles.hint}>{t("offline")}</p>}
    </Form>
  );
}

/** The call or payment named in the address. */
function useAbout(): { readonly about: CaseRequest["about"]; readonly detach: () => void } {
  const [params, setParams] = useSearchParams();
  const [call, payment] = [params.get("call"), params.get("payment")];
  const about: CaseRequest["about"] =
    call !== null ? { type: "call", id: call } : payment !== null ? { type: "payment", id: payment } : null;
  return { about, detach: () => setParams({}, { replace: true }) };
}

function useAskForm(about: CaseRequest["about"]) {
  const { t } = useTranslation("cases");
  const navigate = useNavigate();
  const attempt = useRef({ words: "", key: "" });
  const [draft] = useState(() => `question ${about?.id ?? ""}`);
  const form = useServiceForm<{ topic: CaseTopic | ""; message: string }>({
    empty: { topic: about?.type === "payment" ? "payment" : "", message: "" },
    fallback: t("sendFailure"),
    focusOnRefusal: "message",
    send: async ({ topic, message }) => {
      if (topic === "") return;
      const question = { topic, message: message.trim(), about };
      const words = JSON.stringify(question);
      // A question edited after a failure gets a new key.
      if (attempt.current.words !== words) attempt.current = { words, key: randomId() };
      const { number } = await sendQuestion(question, attempt.current.key);
      forgetDraft();
      toast.success(t("sent", { number: String(number) }));
      await navigate("/cases", { replace: true });
    },
  });
  const forgetDraft = useFormDraft(draft, form);
  return form;
}

type About = NonNullable<CaseRequest["about"]>;

/** Malformed ids answer 400 or 422, other people's 404: all are shown as not found. */
function isMissing(error: Error | null): boolean {
  return error instanceof ApiError && [400, 404, 422].includes(error.status);
}

/** The call or payment that the question is about, and whether it exists. */
function useAttachment(about: About | null) {
  const { t } = useTranslation("cases");
  const write = usePhoneText();
  const call = useQuery({ ...attachedCallQuery(about?.id ?? ""), enabled: about?.type === "call" });
  const payment = useQuery({ ...attachedPaymentQuery(about?.id ?? ""), enabled: about?.type === "payment" });
  if (about === null) return { missing: false, text: "" };
  if (about.type === "call") {
    const values = call.data && { number: write(call.data.destination_number), date: formatDate(call.data.created_at) };
    return { missing: isMissing(call.error), text: values ? t("attached.call", values) : t("attached.aCall") };
  }
  const amount = payment.data && formatMoney(payment.data.amount);
  return { missing: isMissing(payment.error), text: amount ? t("attached.payment", { amount }) : t("attached.aPayment") };
}

interface AttachmentProps {
  readonly about: About;
  readonly attachment: ReturnType<typeof useAttachment>;
  readonly onRemove: () => void;
}

/** The call or payment sent with the question, with a remove button. */
function Attachment({ about, attachment, onRemove }: AttachmentProps) {
  const { t } = useTranslation("cases");
  if (attachment.missing) return <Banner kind="warn">{t(`attached.missing.${about.type}`)}</Banner>;
  return (
    <div className={styles.attached}>
      <Icon of={IconPaperclip} />
      <span className={styles.what}>
        <span>{attachment.text}</span>
        {about.type === "call" && (
          <Link className="link small" to={`/call/${about.id}`}>
            {t("attached.details")}
          </Link>
        )}
      </span>
      <Button size="sm" onClick={onRemove}>
        {t("attached.remove")}
      </Button>
    </div>
  );
}
