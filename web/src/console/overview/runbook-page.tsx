import { marked, type Token, type Tokens } from "marked";
import { Fragment, type ReactNode } from "react";
import { Link, useParams } from "react-router";
import { Card } from "../../ui/card.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import * as styles from "../console.module.css";
import { PageTitle } from "../shell/top-bar.tsx";

/** The text of each page of `docs/runbooks`, by its path. */
const TEXTS = import.meta.glob<string>("../../../../docs/runbooks/*.md", { eager: true, query: "?raw", import: "default" });
const RUNBOOK = /^([a-z-]+)\.md$/;

/** What to do about a trouble: a page of `docs/runbooks`, readable where one is when it matters, also on a phone. */
export function RunbookPage() {
  const { name = "" } = useParams();
  const text = Object.entries(TEXTS).find(([path]) => path.endsWith(`/${name}.md`))?.[1];
  if (text === undefined) return <EmptyState title="There is no such runbook" text="The overview's troubles lead to theirs." />;
  return (
    <article className="stack">
      <PageTitle title={`Runbook ${name}`} />
      <Card title={name.replaceAll("-", " ")}>
        <div className={styles.runbook}>{blocks(marked.lexer(text).filter(isNotTitle))}</div>
      </Card>
    </article>
  );
}

function isNotTitle(token: Token): boolean {
  return token.type !== "heading" || (token as Tokens.Heading).depth > 1;
}

/** Elements instead of markup: nothing of a text is ever taken as HTML. */
function blocks(tokens: readonly Token[]): ReactNode {
  return tokens.map((token, index) => <Fragment key={index}>{block(token)}</Fragment>);
}

function block(token: Token): ReactNode {
  switch (token.type) {
    case "heading":
      return <h3>{words((token as Tokens.Heading).tokens)}</h3>;
    case "paragraph":
      return <p>{words((token as Tokens.Paragraph).tokens)}</p>;
    case "list": {
      const { items, ordered } = token as Tokens.List;
      const List = ordered ? "ol" : "ul";
      return (
        <List>
          {items.map((item, index) => (
            <li key={index}>{blocks(item.tokens)}</li>
          ))}
        </List>
      );
    }
    case "code":
      return (
        <pre>
          <code>{(token as Tokens.Code).text}</code>
        </pre>
      );
    case "text":
      return words((token as Tokens.Text).tokens ?? [token]);
    case "space":
      return null;
    default:
      return token.raw;
  }
}

function words(tokens: readonly Token[]): ReactNode {
  return tokens.map((token, index) => <Fragment key={index}>{word(token)}</Fragment>);
}

function word(token: Token): ReactNode {
  switch (token.type) {
    case "codespan":
      return <code>{(token as Tokens.Codespan).text}</code>;
    case "strong":
      return <strong>{words((token as Tokens.Strong).tokens)}</strong>;
    case "em":
      return <em>{words((token as Tokens.Em).tokens)}</em>;
    case "link": {
      const { href, tokens } = token as Tokens.Link;
      const [, runbook] = RUNBOOK.exec(href) ?? [];
      // Other pages of the documentation are not in the console: their name is enough to find them.
      if (runbook === undefined)
        return (
          <span>
            <span>{words(tokens)}</span> <code>{href.replace(/^\.\.\//, "docs/")}</code>
          </span>
        );
      return (
        <Link className="link" to={`/operator/runbooks/${runbook}`}>
          {words(tokens)}
        </Link>
      );
    }
    default:
      return (token as { readonly text?: string }).text ?? token.raw;
  }
}
