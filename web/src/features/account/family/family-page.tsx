import type { FamilyInvitation, FamilyMember, FamilyResponse } from "@farline/contract/family/family.ts";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useTitle } from "../../../browser/page-hooks.ts";
import { request } from "../../../service/http.ts";
import { queryKeys } from "../../../service/queries.ts";
import { formatDate, formatDateTime, formatDuration, formatSum } from "../../../text/format.ts";
import { usePhoneText } from "../../../text/phone-text.ts";
import { Button } from "../../../ui/button.tsx";
import { Card } from "../../../ui/card.tsx";
import { EmptyState, LoadFailure } from "../../../ui/empty-state.tsx";
import { LinkField } from "../../../ui/forms/form-fields.tsx";
import { Banner } from "../../../ui/messages/banner.tsx";
import { toast } from "../../../ui/messages/toast.ts";
import { useChange } from "../../../ui/use-change.ts";
import { NotLoaded } from "../../../ui/waiting/loaded.tsx";
import { SkeletonRows } from "../../../ui/waiting/skeleton.tsx";
import { ConfirmButton, ConfirmDialog, copyText } from "../account-controls.tsx";
import {
  chooseCredit,
  familyQuery,
  invitePerson,
  leaveFamily,
  removeMember,
  saveLimits,
  withdrawInvitation,
} from "./family-queries.ts";
import { ChoiceFields, LimitForm, LimitLines, NO_LIMITS, SpentLines } from "./family-terms.tsx";
import * as rowsStyles from "../../../ui/rows.module.css";
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
  const query = useQuery(familyQuery);
  const { data } = query;
  if (data === undefined)
    return (
      <Card>
        <NotLoaded of={query} failure={t("family.loadFailure")} rows={3} />
      </Card>
    );
  const [me] = data.family?.members ?? [];
  if (data.family === null || data.family.is_owner || me === undefined) return <OwnerView {...data} />;
  return <MemberView owner={data.family.owner_name} member={me} />;
}

/** The family for its owner, or for somebody who may become one. */
function OwnerView({ family, max_people: maxPeople }: FamilyResponse) {
  const { t } = useTranslation("account");
  const members = family?.members ?? [];
  const invitations = family?.invitations ?? [];
  const isFull = members.length + 1 >= maxPeople;
  return (
    <>
      <div className="stack">
        {members.map((member) => (
          <MemberCard key={member.id} member={member} />
        ))}
        {members.length === 0 && (
          <Card>
            <EmptyState title={t("family.emptyTitle")} text={t("family.intro")} />
          </Card>
        )}
      </div>
      <div className="stack">
        {isFull ? <p className="muted">{t("family.full", { max: maxPeople })}</p> : <InviteCard count={invitations.length} />}
        {invitations.map((invitation) => (
          <InvitationCard key={invitation.id} invitation={invitation} />
        ))}
        {family !== null && <EndCard />}
      </div>
    </>
  );
}

function InviteCard({ count }: { readonly count: number }) {
  const { t } = useTranslation("account");
  return (
    <Card title={t("family.inviteTitle")}>
      <p className={styles.lead}>{t("family.inviteText")}</p>
      <LimitForm
        // Empty again once an invitation was made.
        key={count}
        limits={NO_LIMITS}
        asksAddress
        action={t("family.invite")}
        failure={t("family.failure")}
        onSend={async (limits, email) => {
          await invitePerson(email, limits);
          toast.success(email === null ? t("family.linkReady") : t("family.sent"));
        }}
      />
    </Card>
  );
}

function InvitationCard({ invitation: { id, email, link, expires_at: expiresAt } }: { readonly invitation: FamilyInvitation }) {
  const { t } = useTranslation("account");
  const { busy, failure, change } = useChange(t("family.failure"));
  return (
    <Card title={email === null ? t("family.openLink") : t("family.openMail")}>
      <div className={styles.part}>
        {failure !== null && <Banner kind="error">{failure}</Banner>}
        {email !== null && <p dir="auto">{email}</p>}
        <LinkField label={t("invite.link")} value={link} />
        <p className="muted small">{t("family.until", { date: formatDate(expiresAt) })}</p>
        <div className="row">
          <Button onClick={() => void copyText(link)}>{t("invite.copy")}</Button>
          <Button busy={busy} onClick={() => void change(() => withdrawInvitation(id))}>
            {t("family.withdraw")}
          </Button>
        </div>
      </div>
    </Card>
  );
}

function EndCard() {
  const { t } = useTranslation("account");
  const { busy, failure, change } = useChange(t("family.failure"));
  return (
    <Card title={t("family.endTitle")}>
      <div className={styles.part}>
        {failure !== null && <Banner kind="error">{failure}</Banner>}
        <p className="muted">{t("family.endText")}</p>
        <ConfirmButton
          busy={busy}
          title={t("family.endQuestion")}
          text={t("family.endText")}
          action={t("family.end")}
          onConfirm={() => void change(leaveFamily)}
        />
      </div>
    </Card>
  );
}

type Open = "limits" | "calls" | "removal" | null;

/** A member, for the owner: what their calls cost, their limits, and the called numbers if they agreed. */
function MemberCard({ member }: { readonly member: FamilyMember }) {
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

/** The family for a member, who sees no other member. */
function MemberView({ owner, member }: { readonly owner: string; readonly member: FamilyMember }) {
  const { t } = useTranslation("account");
  const { busy, failure, change } = useChange(t("family.failure"));
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
          <ConfirmButton
            busy={busy}
            title={t("family.leaveTitle")}
            text={t("family.leaveText", { owner })}
            action={t("family.leave")}
            onConfirm={() => void change(leaveFamily)}
          />
        </div>
      </Card>
      <Card title={t("family.limitsTitle")}>
        <SpentLines member={member} />
        <LimitLines limits={member.limits} />
      </Card>
    </>
  );
}
