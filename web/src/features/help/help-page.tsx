import { IconLink } from "@tabler/icons-react";
import type { ReactElement } from "react";
import { useTranslation } from "react-i18next";
import { classNames } from "../../ui/class-names.ts";
import { Icon } from "../../ui/icon.tsx";
import type { HelpAnswer, HelpSection } from "./help-answers.ts";
import * as buttonStyles from "../../ui/button.module.css";
import * as cardStyles from "../../ui/card.module.css";
import * as styles from "./help.module.css";

interface HelpPageProps {
  readonly sections: readonly HelpSection[];
  /** The search field. Without scripts it is hidden, and every answer can be opened. */
  readonly search: ReactElement;
  readonly supportEmail: string;
}

/** Questions and answers. Each has an address of its own: `/help#<id>`. */
export function HelpPage({ sections, search, supportEmail }: HelpPageProps) {
  const { t } = useTranslation("help");
  return (
    <main className={classNames(styles.help, "page")} id="main">
      <h1 className="t-page">{t("title")}</h1>
      <p className="lead">{t("lead")}</p>
      {search}
      {sections.map(({ group, title, answers }) => (
        <section key={group} aria-labelledby={`group-${group}`} data-answers="">
          <h2 className="t-card" id={`group-${group}`}>
            {title}
          </h2>
          <div className={classNames(cardStyles.card, styles.list)}>
            {answers.map((answer) => (
              <Answer key={answer.id} answer={answer} />
            ))}
          </div>
        </section>
      ))}
      <section id="ask">
        <h2 className="t-card">{t("ask.title")}</h2>
        <p>{t("ask.text")}</p>
        <p className={classNames(styles.customer, "row")}>
          <a className={classNames(buttonStyles.btn, buttonStyles.action)} href="/cases/new">
            {t("ask.write")}
          </a>
          <a className="link" href="/cases">
            {t("ask.yours")}
          </a>
        </p>
        <p className={classNames(styles.mail, styles.visitor)}>
          <span>{t("ask.mail")}</span>
          <a className="link" href={`mailto:${supportEmail}`}>
            <bdi>{supportEmail}</bdi>
          </a>
        </p>
        <p className={styles.visitor}>
          <a className="link" href="/cases/new">
            {t("ask.signIn")}
          </a>
        </p>
      </section>
    </main>
  );
}

function Answer({ answer: { id, question, answer, items, links } }: { readonly answer: HelpAnswer }) {
  const { t } = useTranslation("help");
  return (
    <details className={styles.one} id={id} data-answer="">
      <summary>
        <h3>{question}</h3>
      </summary>
      <p>{answer}</p>
      {items.length > 0 && (
        <ul>
          {items.map((item) => (
            <li key={item}>{item}</li>
          ))}
        </ul>
      )}
      <p className={styles.links}>
        {links.map(({ href, text }) => (
          <a key={href} className="link" href={href}>
            {text}
          </a>
        ))}
        <a className={styles.here} href={`#${id}`} aria-label={t("linkToAnswer")} title={t("linkToAnswer")}>
          <Icon of={IconLink} />
        </a>
      </p>
    </details>
  );
}
