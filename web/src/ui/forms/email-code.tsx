import { asciiDigits } from "@farline/domain/ascii-digits.ts";
import { readDigitCode } from "@farline/domain/typed/typed-codes.ts";
import { IconExternalLink } from "@tabler/icons-react";
import { type ReactNode, useEffect, useId, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { messageOf, request } from "../../service/http.ts";
import { queryKeys } from "../../service/queries.ts";
import { queryClient } from "../../service/query-client.ts";
import { Button } from "../button.tsx";
import { Icon } from "../icon.tsx";
import { Form, useFilledField } from "./form.tsx";
import { useComposedField } from "./use-composed-field.ts";
import * as styles from "./email-code.module.css";
import * as fieldStyles from "./field.module.css";

const DIGITS = 6;
const WHOLE = { min: DIGITS, max: DIGITS };

/** Where people read their mail, by the domain of their address. */
const MAILBOXES: Readonly<Record<string, string>> = {
  "gmail.com": "https://mail.google.com/",
  "googlemail.com": "https://mail.google.com/",
  "hotmail.com": "https://outlook.live.com/mail/",
  "icloud.com": "https://www.icloud.com/mail",
  "live.com": "https://outlook.live.com/mail/",
  "outlook.com": "https://outlook.live.com/mail/",
  "yahoo.com": "https://mail.yahoo.com/",
};

interface EmailCodeProps {
  readonly email: string;
  /** The button's words. */
  readonly submit: string;
  /** Whether the field has the focus when it appears. */
  readonly takesFocus: boolean;
  readonly onDone?: () => void;
  /** What can be done instead, beside "Send again". */
  readonly instead?: ReactNode;
}

/** Confirms the address of the signed-in customer by the six digits of the mail: typed, pasted or filled in by the browser. */
export function EmailCode({ email, submit, takesFocus, onDone, instead }: EmailCodeProps) {
  const { t } = useTranslation(["auth", "common"]);
  const id = useId();
  const field = useRef<HTMLInputElement>(null);
  const [code, setCode] = useState("");
  const [busy, setBusy] = useState<"code" | "mail" | null>(null);
  const [said, setSaid] = useState<{ readonly text: string; readonly isError: boolean } | null>(null);
  const mailbox = MAILBOXES[email.slice(email.lastIndexOf("@") + 1).toLowerCase()];
  useEffect(() => {
    if (takesFocus) field.current?.focus({ preventScroll: true });
  }, [takesFocus]);

  async function send(what: "code" | "mail", digits: string): Promise<void> {
    setSaid(null);
    setBusy(what);
    try {
      if (what === "code") await request("POST /api/email/verify/code", { body: { code: digits } });
      else setSaid({ text: (await request("POST /api/email/verification")).message, isError: false });
      await queryClient.invalidateQueries({ queryKey: queryKeys.user });
      await queryClient.invalidateQueries({ queryKey: queryKeys.calls });
      if (what === "code") onDone?.();
    } catch (error) {
      setSaid({ text: messageOf(error, t(what === "code" ? "code.failure" : "common:verifyEmail.failure")), isError: true });
      setCode("");
      field.current?.focus();
    } finally {
      setBusy(null);
    }
  }
  const take = (typed: string): void => {
    // Pasted with its sentence, other digits may stand before it.
    const digits = readDigitCode(typed, WHOLE) ?? asciiDigits(typed).replaceAll(/\D/g, "").slice(0, DIGITS);
    setCode(digits);
    if (digits.length === DIGITS && digits !== code && busy === null) void send("code", digits);
  };
  useFilledField(id, code, take);
  const composed = useComposedField(code, ({ value }) => take(value));
  return (
    <Form className={styles.form} noValidate onSubmit={() => void send("code", code)}>
      <div className={styles.code}>
        <label className="sr-only" htmlFor={id}>
          {t("code.label")}
        </label>
        <input
          ref={field}
          id={id}
          type="text"
          dir="ltr"
          inputMode="numeric"
          autoComplete="one-time-code"
          required
          aria-describedby={said === null ? undefined : `${id}-said`}
          aria-invalid={said?.isError === true || undefined}
          {...composed}
        />
        {Array.from({ length: DIGITS }, (_, at) => (
          <span key={at} aria-hidden="true" data-now={at === Math.min(code.length, DIGITS - 1) || undefined}>
            {code[at] ?? ""}
          </span>
        ))}
      </div>
      <p id={`${id}-said`} className={said?.isError === true ? fieldStyles.error : fieldStyles.hint} role="status">
        {said?.text}
      </p>
      <Button pair="action" wide busy={busy === "code"} onClick={() => void send("code", code)}>
        {submit}
      </Button>
      <div className={styles.links}>
        {mailbox !== undefined && (
          <a className="link" href={mailbox} target="_blank" rel="noreferrer">
            <span>{t("code.openMail")}</span> <Icon of={IconExternalLink} />
          </a>
        )}
        <button type="button" className="link" disabled={busy !== null} onClick={() => void send("mail", "")}>
          {t("common:verifyEmail.again")}
        </button>
        {instead !== undefined && <span>{instead}</span>}
      </div>
    </Form>
  );
}
