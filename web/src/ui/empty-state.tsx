import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import cord from "../assets/cord-empty.svg";
import { Button } from "./button.tsx";
import "./empty-state.css";

interface EmptyStateProps {
  readonly title: string;
  readonly text?: string;
  /** The one way on: a key or a link. */
  readonly action?: ReactNode;
  /** The page's own heading stands elsewhere, unless this is the page. */
  readonly as?: "h1" | "h2" | "p";
}

/** What stands where a list or a page has nothing to show: a slack cord that has not met its ring. */
export function EmptyState({ title, text, action, as: Title = "h2" }: EmptyStateProps) {
  return (
    <div className="empty">
      <img src={cord} alt="" width="240" height="120" />
      <Title className="t-card">{title}</Title>
      {text !== undefined && <p className="muted">{text}</p>}
      {action}
    </div>
  );
}

/** What stands where loading failed: the reason in a word, and a way to try again. */
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
