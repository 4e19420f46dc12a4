import type { ReactElement } from "react";
import { useTranslation } from "react-i18next";
import cord from "../assets/cord-empty.svg";
import { ApiError, isUnanswered } from "../service/http.ts";
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

interface LoadFailureProps {
  /** What could not be loaded. */
  readonly text: string;
  /** The failed query. */
  readonly of: { readonly error: unknown; readonly isFetching: boolean; readonly refetch: () => unknown };
}

/** Shown where loading failed: what failed, the service's reason if it gave one, and a Retry button. */
export function LoadFailure({ text, of: { error, isFetching, refetch } }: LoadFailureProps) {
  const { t } = useTranslation();
  const reason = isUnanswered(error)
    ? t("loadFailureHint")
    : error instanceof ApiError && error.fromService
      ? error.message
      : undefined;
  return (
    <div role="alert">
      <EmptyState
        title={text}
        {...(reason !== undefined && { text: reason })}
        action={
          <Button busy={isFetching} onClick={() => void refetch()}>
            {t("tryAgain")}
          </Button>
        }
      />
    </div>
  );
}
