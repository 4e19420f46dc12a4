import type { ReactNode } from "react";
import "./article.css";

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
    <main className="page article" id="main">
      <h1 className="t-page">{title}</h1>
      {lead !== undefined && <p className="lead">{lead}</p>}
      {children}
    </main>
  );
}

export function ArticleSection({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <section>
      <h2 className="t-card">{title}</h2>
      {children}
    </section>
  );
}
