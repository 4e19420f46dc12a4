import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { userQuery } from "../../service/queries.ts";
import { useTitle } from "../../browser/use-title.ts";
import { Card } from "../../ui/card.tsx";
import { SkeletonRows } from "../../ui/waiting/skeleton.tsx";
import { ActivityCard } from "./activity-card.tsx";
import { CallerIdCard } from "./caller-id/caller-id-card.tsx";
import { DevicesCard } from "./devices-card.tsx";
import { EraseCard } from "./leaving/erase-card.tsx";
import { ExportCard } from "./leaving/export-card.tsx";
import { GuardRailsCard } from "./guard-rails/guard-rails-card.tsx";
import { InviteCard } from "./invite-card.tsx";
import { PasswordCard } from "./sign-in-methods/password-card.tsx";
import { ProfileCard } from "./profile-card.tsx";
import { SignInMethods } from "./sign-in-methods/sign-in-methods.tsx";
import * as styles from "./account-page.module.css";

/** Account page: profile, sign-in methods and signed-in devices. */
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
      <div className={styles.acc}>
        <div className="stack">
          {user === undefined ? (
            <Card title={t("profile.title")}>
              <SkeletonRows rows={2} />
            </Card>
          ) : (
            <>
              <ProfileCard user={user} />
              <CallerIdCard />
              <PasswordCard hasPassword={user.has_password} />
            </>
          )}
          <DevicesCard />
          {user !== undefined && !user.disposable_email && <InviteCard />}
        </div>
        <div className="stack">
          <GuardRailsCard />
          <SignInMethods />
          <ActivityCard />
          <ExportCard />
          <EraseCard />
        </div>
      </div>
    </>
  );
}
