import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { useTitle } from "../../browser/page-hooks.ts";
import { userQuery } from "../../service/queries.ts";
import { Card } from "../../ui/card.tsx";
import { SkeletonRows } from "../../ui/waiting/skeleton.tsx";
import { CallerIdCard } from "./caller-id-card.tsx";
import { ActivityCard, DevicesCard } from "./devices-and-activity.tsx";
import { GuardRailsCard } from "./guard-rails-card.tsx";
import { InviteCard } from "./invite-card.tsx";
import { EraseCard, ExportCard } from "./leaving/export-card.tsx";
import { ProfileCard } from "./profile-card.tsx";
import { PasswordCard, SignInMethods } from "./sign-in-methods/sign-in-methods.tsx";
import * as styles from "./account.module.css";

/** Parts of the page, and their anchors. */
const sections = ["person", "calls", "security", "data"] as const;

/** Account page: profile, caller id and limits, sign-in methods and devices, the customer's data. */
export function AccountPage() {
  const { t } = useTranslation(["account", "common"]);
  useTitle(t("title"));
  const { data: user } = useQuery(userQuery);
  return (
    <>
      <div className="spread head">
        <h1 className="t-page">{t("title")}</h1>
        <p className="row">
          <a className="link" href="/help" target="_blank" rel="noreferrer">
            {t("common:nav.help")}
          </a>
          <Link className="link" to="/family">
            {t("family.link")}
          </Link>
          <Link className="link" to="/cases">
            {t("questions")}
          </Link>
        </p>
      </div>
      <nav className={styles.contents} aria-label={t("sections.label")}>
        {sections.map((name) => (
          <a key={name} className="link" href={`#${name}`}>
            {t(`sections.${name}`)}
          </a>
        ))}
      </nav>
      <Section name="person">
        {user === undefined ? (
          <Card title={t("profile.title")}>
            <SkeletonRows rows={2} />
          </Card>
        ) : (
          <ProfileCard user={user} />
        )}
        {user !== undefined && !user.disposable_email && <InviteCard />}
      </Section>
      <Section name="calls">
        <CallerIdCard />
        <GuardRailsCard />
      </Section>
      <Section name="security">
        <div className="stack">
          {user !== undefined && <PasswordCard hasPassword={user.has_password} />}
          <DevicesCard />
          <ActivityCard />
        </div>
        <div className="stack">
          <SignInMethods />
        </div>
      </Section>
      <Section name="data">
        <ExportCard />
        <EraseCard />
      </Section>
    </>
  );
}

/** Cards of one subject, in two columns where there is room. */
function Section({ name, children }: { readonly name: (typeof sections)[number]; readonly children: ReactNode }) {
  const { t } = useTranslation("account");
  return (
    <section className={styles.section} aria-labelledby={name}>
      <h2 className={styles.heading} id={name}>
        {t(`sections.${name}`)}
      </h2>
      <div className={styles.acc}>{children}</div>
    </section>
  );
}
