import type { FamilyMember } from "@farline/contract/family/family.ts";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { request } from "../../../service/http.ts";
import { queryKeys } from "../../../service/queries.ts";
import { formatDateTime, formatDuration, formatSum } from "../../../text/format.ts";
import { usePhoneText } from "../../../text/phone-text.ts";
import { Button } from "../../../ui/button.tsx";
import { Card } from "../../../ui/card.tsx";
import { LoadFailure } from "../../../ui/empty-state.tsx";
import { Banner } from "../../../ui/messages/banner.tsx";
import { toast } from "../../../ui/messages/toast.ts";
import { useChange } from "../../../ui/use-change.ts";
import { SkeletonRows } from "../../../ui/waiting/skeleton.tsx";
import { ConfirmDialog } from "../confirm-dialog.tsx";
import { removeMember, saveLimits } from "./family-queries.ts";
import { LimitForm } from "./limit-form.tsx";
import { LimitLines, SpentLines } from "./limit-lines.tsx";
import * as styles from "../account.module.css";
import * as rowsStyles from "../../../ui/rows.module.css";

type Open = "limits" | "calls" | "removal" | null;

/** A member, for the owner: what their calls cost, their limits, and the called numbers if they agreed. */
export function MemberCard({ member }: { readonly member: FamilyMember }) {
  const { t } = useTranslation("account");
  const [open, setOpen] = useState<Open>(null);
  const { busy, failure, change } = useChange(t("family.failure"));
  const { id, name } = member;
  const toggle = (part: Open) => setOpen(open === part ? null : part);
  return (
    <Card title={name}>
      <div className={styles.part}>
        {failure !== null && <Banner kind="error">{failure}</Banner>}
        <p className="muted">{member.owner_pays ? t("family.youPay") : t("family.paysAlone")}</p>
        <div>
          <SpentLines member={member} />
          {open !== "limits" && <LimitLines limits={member.limits} />}
        </div>
        <div className="row">
          <Button aria-expanded={open === "limits"} onClick={() => toggle("limits")}>
            {t("family.changeLimits")}
          </Button>
          {member.shows_numbers && (
            <Button aria-expanded={open === "calls"} onClick={() => toggle("calls")}>
              {t("family.calls")}
            </Button>
          )}
          <Button busy={busy} onClick={() => setOpen("removal")}>
            {t("family.remove")}
          </Button>
        </div>
        {open === "limits" && (
          <LimitForm
            limits={member.limits}
            action={t("limits.save")}
            failure={t("limits.failure")}
            onSend={async (limits) => {
              await saveLimits(id, limits);
              toast.success(t("limits.saved"));
              setOpen(null);
            }}
          />
        )}
        {open === "calls" && <MemberCalls id={id} />}
      </div>
      <ConfirmDialog
        open={open === "removal"}
        title={t("family.removeTitle", { name })}
        text={t("family.removeText")}
        action={t("family.remove")}
        onConfirm={() => {
          setOpen(null);
          void change(() => removeMember(id));
        }}
        onClose={() => setOpen(null)}
      />
    </Card>
  );
}

function MemberCalls({ id }: { readonly id: string }) {
  const { t } = useTranslation("account");
  const write = usePhoneText();
  const calls = useQuery({
    queryKey: [...queryKeys.balance, "family", id],
    queryFn: async ({ signal }) => (await request("GET /api/family/members/:id/calls", { params: { id }, signal })).calls,
  });
  if (calls.isError) return <LoadFailure text={t("family.callsFailure")} of={calls} />;
  if (calls.data === undefined) return <SkeletonRows rows={2} />;
  if (calls.data.length === 0) return <p className="muted">{t("family.noCalls")}</p>;
  return (
    <div>
      <ul className={rowsStyles.rows}>
        {calls.data.map((call) => (
          <li key={call.id} className="spread">
            <div>
              <p className={rowsStyles.name}>{write(call.destination_number)}</p>
              <p className={rowsStyles.meta}>
                {[formatDateTime(call.created_at), formatDuration(call.duration_seconds)].join(" · ")}
              </p>
            </div>
            <p className={rowsStyles.sum}>{formatSum(call.cost)}</p>
          </li>
        ))}
      </ul>
    </div>
  );
}
