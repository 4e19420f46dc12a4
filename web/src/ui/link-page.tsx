import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import mark from "../assets/mark-yellow.svg";
import { useTitle } from "../browser/page-hooks.ts";
import { ButtonLink } from "./button.tsx";
import { classNames } from "./class-names.ts";
import * as styles from "./link-page.module.css";

/** A page of a link that one person sent another, who may have no account: one column under the mark. Its texts are those of `billing`. */
export function LinkPage({ children }: { readonly children: ReactNode }) {
  const { t } = useTranslation("common");
  return (
    <main className={styles.page} id="main">
      <p>
        <Link className="brand" to="/">
          <img src={mark} alt="" width="36" height="36" />
          <span>{t("brand")}</span>
        </Link>
      </p>
      {children}
    </main>
  );
}

/** Who sent the link, on credit's yellow. */
export function LinkHeader({ title, children }: { readonly title: string; readonly children?: ReactNode }) {
  return (
    <header className={classNames(styles.asks, "on-credit")}>
      <h1 className="t-page">{title}</h1>
      {children}
    </header>
  );
}

/** Instead of the page, where the link leads nowhere. */
export function ClosedLink({ text, children }: { readonly text: string; readonly children?: ReactNode }) {
  const { t } = useTranslation("billing");
  useTitle(t("guest.closed"));
  return (
    <section className="stack">
      <h1 className="t-page">{t("guest.closed")}</h1>
      <p className="lead">{text}</p>
      <p>{children ?? <ButtonLink to="/">{t("guest.home")}</ButtonLink>}</p>
    </section>
  );
}
