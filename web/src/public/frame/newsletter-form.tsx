import { useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { Form } from "../../ui/forms/form.tsx";
import { classNames } from "../../ui/class-names.ts";
import * as styles from "./footer.module.css";
import * as fieldStyles from "../../ui/forms/field.module.css";
import * as buttonStyles from "../../ui/button.module.css";

type State = { readonly kind: "open" | "sending" } | { readonly kind: "done" | "failed"; readonly message: string };

const TIMEOUT_MS = 20_000;

/** Subscribes an address to rate updates. Shows the service's message for success and refusal. */
export function NewsletterForm() {
  const { t, i18n } = useTranslation("public");
  const [state, setState] = useState<State>({ kind: "open" });
  const input = useRef<HTMLInputElement>(null);
  const failed = state.kind === "failed";
  const onSubmit = async () => {
    if (state.kind === "sending") return;
    setState({ kind: "sending" });
    const next = await subscribe(input.current?.value ?? "", i18n.language, t("news.failure"));
    setState(next);
    if (next.kind === "failed") input.current?.focus();
    else if (input.current) input.current.value = "";
  };
  return (
    <Form className={styles.news} noValidate onSubmit={onSubmit}>
      <h2>
        <label htmlFor="news-email">{t("news.label")}</label>
      </h2>
      <p className={classNames(styles.hint, "muted small")}>{t("news.hint")}</p>
      <div className={styles.form}>
        <input
          ref={input}
          className={fieldStyles.input}
          id="news-email"
          type="email"
          autoComplete="email"
          maxLength={254}
          placeholder={t("news.placeholder")}
          aria-invalid={failed || undefined}
          aria-describedby={failed ? "news-answer" : undefined}
        />
        <button
          className={classNames(buttonStyles.btn, buttonStyles.credit)}
          type="submit"
          aria-disabled={state.kind === "sending" || undefined}
        >
          {state.kind === "sending" ? t("news.subscribing") : t("news.subscribe")}
        </button>
      </div>
      <p
        className={classNames(styles.answer, failed ? fieldStyles.error : "small")}
        id="news-answer"
        role={failed ? "alert" : "status"}
      >
        {state.kind === "done" || state.kind === "failed" ? state.message : ""}
      </p>
    </Form>
  );
}

async function subscribe(email: string, language: string, fallback: string): Promise<State> {
  try {
    const response = await fetch("/api/newsletter", {
      method: "POST",
      headers: { "Content-Type": "application/json", Accept: "application/json" },
      body: JSON.stringify({ email, language }),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const { message } = (await response.json()) as { message?: unknown };
    return { kind: response.ok ? "done" : "failed", message: typeof message === "string" ? message : fallback };
  } catch {
    return { kind: "failed", message: fallback }; // No response, or not from the service.
  }
}
