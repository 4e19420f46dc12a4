import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { useTitle } from "../../../browser/use-title.ts";
import { Card } from "../../../ui/card.tsx";
import { LoadFailure } from "../../../ui/empty-state.tsx";
import { SkeletonRows } from "../../../ui/waiting/skeleton.tsx";
import { familyQuery } from "./family-queries.ts";
import { MemberView } from "./member-view.tsx";
import { OwnerView } from "./owner-view.tsx";
import * as styles from "../account.module.css";

/** People who call on the credit of one of them: for the owner, for a member, and for somebody in no family. */
export function FamilyPage() {
  const { t } = useTranslation("account");
  useTitle(t("family.title"));
  return (
    <>
      <div className="head">
        <h1 className="t-page">{t("family.title")}</h1>
      </div>
      <div className={styles.acc}>
        <Family />
      </div>
    </>
  );
}

function Family() {
  const { t } = useTranslation("account");
  const { data, isError, error, isFetching, refetch } = useQuery(familyQuery);
  if (data === undefined)
    return (
      <Card>
        {isError ? <LoadFailure text={t("family.loadFailure")} of={{ error, isFetching, refetch }} /> : <SkeletonRows rows={3} />}
      </Card>
    );
  const [me] = data.family?.members ?? [];
  if (data.family === null || data.family.is_owner || me === undefined) return <OwnerView {...data} />;
  return <MemberView owner={data.family.owner_name} member={me} />;
}
