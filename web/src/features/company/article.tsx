import type { ReactNode } from "react";
import { classNames } from "../../ui/class-names.ts";
import * as styles from "./company.module.css";

/** Layout of a text page. */
export function Article({
  title,
  lead,
  children,
}: {
  readonly title: string;
  readonly lead?: string;
  readonly children: ReactNode;
}) {
  return (
    <main className={classNames(styles.article, "page")} id="main">
      <h1 className="t-page">{title}</h1>
      {lead !== undefined && <p className="lead">{lead}</p>}
      {children}
    </main>
  );
}

interface ArticleSectionProps {
  readonly title: string;
  /** Links to the section name it. */
  readonly id?: string;
  readonly children: ReactNode;
}

export function ArticleSection({ title, id, children }: ArticleSectionProps) {
  return (
    <section id={id}>
      <h2 className="t-card">{title}</h2>
      {children}
    </section>
  );
}
