import type { SupportCase } from "@farline/contract/cases/cases.ts";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { useTitle } from "../../browser/page-hooks.ts";
import { formatDate, formatMoney } from "../../text/format.ts";
import { usePhoneText } from "../../text/phone-text.ts";
import { ButtonLink } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { classNames } from "../../ui/class-names.ts";
import { EmptyState } from "../../ui/empty-state.tsx";
import { Badge } from "../../ui/status-badge.tsx";
import { NotLoaded, ShowMore } from "../../ui/waiting/loaded.tsx";
import { casesQuery } from "./cases-queries.ts";
import * as styles from "./cases.module.css";

/** The customer's questions with our answers: `/cases`. */
export function CasesPage() {
  const { t } = useTranslation("cases");
  useTitle(t("title"));
  return (
    <>
      <h1 className="t-page head">{t("title")}</h1>
      <div className={classNames(styles.bar, "row")}>
        <ButtonLink pair="action" to="/cases/new">
          {t("ask")}
        </ButtonLink>
        <a className="link" href="/help" target="_blank" rel="noreferrer">
          {t("helpLink")}
        </a>
      </div>
      <CaseList />
    </>
  );
}

function CaseList() {
  const { t } = useTranslation("cases");
  const list = useInfiniteQuery(casesQuery);
  if (list.data === undefined) return <NotLoaded of={list} failure={t("failure")} rows={3} />;
  const cases = list.data.pages.flatMap((page) => page.data);
  if (cases.length === 0) return <EmptyState title={t("empty")} text={t("lead")} />;
  return (
    <div className={classNames(styles.cases, "stack")}>
      {cases.map((one) => (
        <OneCase key={one.id} one={one} />
      ))}
      <ShowMore of={list} />
    </div>
  );
}

const BADGES = { open: "ringing", answered: "completed", closed: "cancelled" } as const;

function OneCase({ one }: { readonly one: SupportCase }) {
  const { t } = useTranslation("cases");
  return (
    <Card
      title={t(`topics.${one.topic}`)}
      aside={
        <Badge like={BADGES[one.state]}>
          <span>{t(`state.${one.state}`)}</span>
        </Badge>
      }
    >
      <p className="muted small">
        <span>{`${t("number", { number: String(one.number) })} · `}</span>
        <time dateTime={one.created_at}>{formatDate(one.created_at)}</time>
        <AboutLine about={one.about} />
      </p>
      <p className={styles.words} dir="auto">
        {one.message}
      </p>
      {one.answer !== null && (
        <div className={styles.answer}>
          <h3 className="small muted">{t("answer")}</h3>
          <p className={styles.words} dir="auto">
            {one.answer}
          </p>
        </div>
      )}
    </Card>
  );
}

function AboutLine({ about }: { readonly about: SupportCase["about"] }) {
  const { t } = useTranslation("cases");
  const write = usePhoneText();
  if (about === null) return null;
  const date = formatDate(about.created_at);
  if (about.type === "payment") return <span>{` · ${t("attached.payment", { amount: formatMoney(about.amount) })}`}</span>;
  return (
    <>
      <span>{" · "}</span>
      <Link className={styles.call} to={`/call/${about.id}`}>
        {t("attached.call", { number: write(about.number), date })}
      </Link>
    </>
  );
}
