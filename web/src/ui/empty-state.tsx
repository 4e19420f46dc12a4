import type { ReactElement } from "react";
import { useTranslation } from "react-i18next";
import cord from "../assets/cord-empty.svg";
import { Button } from "./button.tsx";
import * as styles from "./empty-state.module.css";

interface EmptyStateProps {
  readonly title: string;
  readonly text?: string;
  /** The single next step: a button or a link. */
  readonly action?: ReactElement;
  /** Heading level: `h1` only where this is the whole page. */
  readonly as?: "h1" | "h2" | "p";
}

/** Shown where a list or page is empty: a slack cord that does not reach its ring. */
export function EmptyState({ title, text, action, as: Title = "h2" }: EmptyStateProps) {
  return (
    <div className={styles.empty}>
      <img src={cord} alt="" width="240" height="120" />
      <Title className="t-card">{title}</Title>
      {text !== undefined && <p className="muted">{text}</p>}
      {action}
    </div>
  );
}

/** Shown where loading failed: a short reason and a Retry button. */
export function LoadFailure({
  text,
  busy = false,
  onRetry,
}: {
  readonly text: string;
  readonly busy?: boolean;
  readonly onRetry: () => void;
}) {
  const { t } = useTranslation();
  return (
    <div role="alert">
      <EmptyState
        title={text}
        text={t("loadFailureHint")}
        action={
          <Button busy={busy} onClick={onRetry}>
            {t("tryAgain")}
          </Button>
        }
      />
    </div>
  );
}
