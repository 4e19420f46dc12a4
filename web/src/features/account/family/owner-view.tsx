import type { FamilyInvitation, FamilyResponse } from "@farline/contract/family/family.ts";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { formatDate } from "../../../text/format.ts";
import { Button } from "../../../ui/button.tsx";
import { Card } from "../../../ui/card.tsx";
import { EmptyState } from "../../../ui/empty-state.tsx";
import { Field } from "../../../ui/forms/field.tsx";
import { Banner } from "../../../ui/messages/banner.tsx";
import { toast } from "../../../ui/messages/toast.ts";
import { useChange } from "../../../ui/use-change.ts";
import { ConfirmDialog } from "../confirm-dialog.tsx";
import { copyText } from "../copy-text.ts";
import { invitePerson, leaveFamily, withdrawInvitation } from "./family-queries.ts";
import { LimitForm, NO_LIMITS } from "./limit-form.tsx";
import { MemberCard } from "./member-card.tsx";
import * as styles from "../account.module.css";

/** The family for its owner, or for somebody who may become one. */
export function OwnerView({ family, max_people: maxPeople }: FamilyResponse) {
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
        <Field label={t("invite.link")} value={link} readOnly dir="ltr" onFocus={(event) => event.target.select()} />
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
  const [asking, setAsking] = useState(false);
  const { busy, failure, change } = useChange(t("family.failure"));
  return (
    <Card title={t("family.endTitle")}>
      <div className={styles.part}>
        {failure !== null && <Banner kind="error">{failure}</Banner>}
        <p className="muted">{t("family.endText")}</p>
        <Button busy={busy} onClick={() => setAsking(true)}>
          {t("family.end")}
        </Button>
      </div>
      <ConfirmDialog
        open={asking}
        title={t("family.endQuestion")}
        text={t("family.endText")}
        action={t("family.end")}
        onConfirm={() => {
          setAsking(false);
          void change(leaveFamily);
        }}
        onClose={() => setAsking(false)}
      />
    </Card>
  );
}
