import type { CaseRequest } from "@farline/contract/cases/cases.ts";
import { useQuery } from "@tanstack/react-query";
import { IconPaperclip } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { ApiError } from "../../service/http.ts";
import { formatDate, formatMoney } from "../../text/format.ts";
import { usePhoneText } from "../../text/phone-text.ts";
import { Banner } from "../../ui/messages/banner.tsx";
import { Button } from "../../ui/button.tsx";
import { Icon } from "../../ui/icon.tsx";
import { attachedCallQuery, attachedPaymentQuery } from "./cases-queries.ts";
import * as styles from "./cases.module.css";

type About = NonNullable<CaseRequest["about"]>;

/** Malformed ids answer 400 or 422, other people's 404: all are shown as not found. */
function isMissing(error: Error | null): boolean {
  return error instanceof ApiError && [400, 404, 422].includes(error.status);
}

/** The call or payment that the question is about, and whether it exists. */
export function useAttachment(about: About | null) {
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
export function Attachment({ about, attachment, onRemove }: AttachmentProps) {
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
