import type { CSSProperties } from "react";
import { useTranslation } from "react-i18next";
import { useShell } from "../../browser/page-hooks.ts";
import * as styles from "./skeleton.module.css";

/**
 * A grey placeholder block. `width` and `height` are CSS lengths. Nothing in a page that the build draws, where the content
 * security policy forbids inline styles.
 */
export function Skeleton({ width, height }: { readonly width?: string; readonly height?: string }) {
  const size: CSSProperties = { width, height };
  if (useShell()) return null;
  return <span className={styles.skel} style={size} aria-hidden="true" />;
}

/** Placeholder rows while a list loads: invisible for the first 200 ms, with a text for screen readers. */
export function SkeletonRows({ rows }: { readonly rows: number }) {
  const { t } = useTranslation();
  return (
    <div className={styles.late} role="status" data-placeholder="">
      <span className="sr-only">{t("loading")}</span>
      {Array.from({ length: rows }, (_, index) => (
        <div className={styles.skelRow} key={index} aria-hidden="true">
          <Skeleton width="2.5rem" height="2.5rem" />
          <Skeleton width="60%" />
          <Skeleton width="4rem" />
        </div>
      ))}
    </div>
  );
}
