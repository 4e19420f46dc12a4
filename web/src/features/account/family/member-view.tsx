import type { FamilyMember } from "@farline/contract/family/family.ts";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "../../../ui/button.tsx";
import { Card } from "../../../ui/card.tsx";
import { Banner } from "../../../ui/messages/banner.tsx";
import { toast } from "../../../ui/messages/toast.ts";
import { useChange } from "../../../ui/use-change.ts";
import { ConfirmDialog } from "../confirm-dialog.tsx";
import { ChoiceFields } from "./choice-fields.tsx";
import { chooseCredit, leaveFamily } from "./family-queries.ts";
import { LimitLines, SpentLines } from "./limit-lines.tsx";
import * as styles from "../account.module.css";

/** The family for a member, who sees no other member. */
export function MemberView({ owner, member }: { readonly owner: string; readonly member: FamilyMember }) {
  const { t } = useTranslation("account");
  const { busy, failure, change } = useChange(t("family.failure"));
  const [asking, setAsking] = useState(false);
  return (
    <>
      <Card title={t("family.memberTitle", { owner })}>
        <div className={styles.part}>
          {failure !== null && <Banner kind="error">{failure}</Banner>}
          <ChoiceFields
            owner={owner}
            choices={member}
            onChange={({ owner_pays, shows_numbers }) =>
              void change(async () => {
                await chooseCredit({ owner_pays, shows_numbers });
                toast.success(t("family.saved"));
              })
            }
          />
          <Button busy={busy} onClick={() => setAsking(true)}>
            {t("family.leave")}
          </Button>
        </div>
      </Card>
      <Card title={t("family.limitsTitle")}>
        <SpentLines member={member} />
        <LimitLines limits={member.limits} />
      </Card>
      <ConfirmDialog
        open={asking}
        title={t("family.leaveTitle")}
        text={t("family.leaveText", { owner })}
        action={t("family.leave")}
        onConfirm={() => {
          setAsking(false);
          void change(leaveFamily);
        }}
        onClose={() => setAsking(false)}
      />
    </>
  );
}
