import { mailLinkPaths } from "@farline/contract/constants.ts";
import type { FamilyChoices, InvitationResponse } from "@farline/contract/family/family.ts";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useNavigate } from "react-router";
import { useTitle } from "../../../browser/page-hooks.ts";
import { ApiError, request } from "../../../service/http.ts";
import { forgetInvitation, useLinkToken } from "../../../session/address-secrets.ts";
import { Button, ButtonLink } from "../../../ui/button.tsx";
import { Card } from "../../../ui/card.tsx";
import { LoadFailure } from "../../../ui/empty-state.tsx";
import { Banner } from "../../../ui/messages/banner.tsx";
import { toast } from "../../../ui/messages/toast.ts";
import { useChange } from "../../../ui/use-change.ts";
import { SkeletonRows } from "../../../ui/waiting/skeleton.tsx";
import { acceptInvitation } from "./family-queries.ts";
import { ChoiceFields, LimitLines } from "./family-terms.tsx";
import * as styles from "../account.module.css";

/** Target of an invitation's link: who pays, what the owner will see, and the decision. */
export function JoinPage() {
  const { t } = useTranslation("account");
  const token = useLinkToken(mailLinkPaths.family);
  useTitle(t("family.joinTitle"));
  return (
    <>
      <div className="head">
        <h1 className="t-page">{t("family.joinTitle")}</h1>
      </div>
      <div className={styles.acc}>
        {token === null ? <NoInvitation text={t("family.noLink")} /> : <Shown key={token} token={token} />}
      </div>
    </>
  );
}

function NoInvitation({ text }: { readonly text: string }) {
  const { t } = useTranslation("account");
  return (
    <Card>
      <div className={styles.part}>
        <p>{text}</p>
        <ButtonLink to="/family">{t("family.toFamily")}</ButtonLink>
      </div>
    </Card>
  );
}

function Shown({ token }: { readonly token: string }) {
  const { t } = useTranslation("account");
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: ["family-invitation", token],
    queryFn: ({ signal }) => request("POST /api/family/invitation", { body: { token }, signal }),
  });
  if (data !== undefined) return <Invitation token={token} invitation={data} />;
  if (error instanceof ApiError && error.code === "link_expired") return <NoInvitation text={t("family.expired")} />;
  if (error instanceof ApiError && error.code === "conflict") return <NoInvitation text={error.message} />;
  return (
    <Card>
      {error === null ? (
        <SkeletonRows rows={3} />
      ) : (
        <LoadFailure text={t("family.loadFailure")} of={{ error, isFetching, refetch }} />
      )}
    </Card>
  );
}

function Invitation({ token, invitation }: { readonly token: string; readonly invitation: InvitationResponse }) {
  const { t } = useTranslation("account");
  const { busy, failure, change } = useChange(t("family.failure"));
  const [choices, setChoices] = useState<FamilyChoices>({ owner_pays: true, shows_numbers: false });
  const navigate = useNavigate();
  const owner = invitation.owner_name;

  async function accept(): Promise<void> {
    const joined = await change(() => acceptInvitation(token, choices));
    if (!joined) return;
    toast.success(t("family.joined"));
    await navigate("/family", { replace: true });
    forgetInvitation();
  }

  return (
    <>
      <Card title={t("family.invitedBy", { owner })}>
        <div className={styles.part}>
          {failure !== null && <Banner kind="error">{failure}</Banner>}
          <p>{t("family.joinText", { owner })}</p>
          <ChoiceFields owner={owner} choices={choices} onChange={setChoices} />
          <div className="row">
            <Button pair="action" busy={busy} onClick={() => void accept()}>
              {t("family.accept")}
            </Button>
            <ButtonLink to="/dialer">{t("family.notNow")}</ButtonLink>
          </div>
        </div>
      </Card>
      <Card title={t("family.limitsTitle")}>
        <LimitLines limits={invitation.limits} />
      </Card>
    </>
  );
}
