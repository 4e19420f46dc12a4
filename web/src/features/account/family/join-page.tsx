import { mailLinkPaths } from "@farline/contract/constants.ts";
import type { FamilyChoices, InvitationResponse } from "@farline/contract/family/family.ts";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useNavigate } from "react-router";
import { useTitle } from "../../../browser/page-hooks.ts";
import { ApiError, request } from "../../../service/http.ts";
import { forgetInvitation, useLinkToken } from "../../../session/address-secrets.ts";
import { keepReturnPath } from "../../../session/return-path.ts";
import { useToken } from "../../../session/session.ts";
import { Button, ButtonLink } from "../../../ui/button.tsx";
import { Card } from "../../../ui/card.tsx";
import { LoadFailure } from "../../../ui/empty-state.tsx";
import { ClosedLink, LinkHeader, LinkPage } from "../../../ui/link-page.tsx";
import { Banner } from "../../../ui/messages/banner.tsx";
import { toast } from "../../../ui/messages/toast.ts";
import { useChange } from "../../../ui/use-change.ts";
import { SkeletonRows } from "../../../ui/waiting/skeleton.tsx";
import { acceptInvitation, familyQuery } from "./family-queries.ts";
import { ChoiceFields, LimitLines } from "./family-terms.tsx";
import * as styles from "../account.module.css";

/** Target of an invitation's link, for anyone: who invites, who pays, what the owner will see. Opening it changes nothing. */
export function JoinPage() {
  const { t } = useTranslation("account");
  const token = useLinkToken(mailLinkPaths.family);
  return <LinkPage>{token === null ? <ClosedLink text={t("family.noLink")} /> : <Shown key={token} token={token} />}</LinkPage>;
}

function Shown({ token }: { readonly token: string }) {
  const { t } = useTranslation("account");
  const signedIn = useToken() !== null;
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: ["family-invitation", token],
    queryFn: ({ signal }) => request("POST /api/family/invitation", { body: { token }, signal }),
    retry: false,
  });
  useTitle(data === undefined ? t("family.joinTitle") : t("family.invitedBy", { owner: data.owner_name }));
  if (error instanceof ApiError && error.code === "link_expired") return <ClosedLink text={t("family.expired")} />;
  if (error !== null) return <LoadFailure text={t("family.loadFailure")} of={{ error, isFetching, refetch }} />;
  if (data === undefined) return <SkeletonRows rows={4} />;
  return (
    <>
      <LinkHeader title={t("family.invitedBy", { owner: data.owner_name })} />
      <p>{t("family.joinText", { owner: data.owner_name })}</p>
      {signedIn ? <Decision token={token} invitation={data} /> : <NeedsAccount owner={data.owner_name} />}
      <Card title={t("family.limitsTitle")}>
        <LimitLines limits={data.limits} />
      </Card>
    </>
  );
}

/** The invitation is kept while a visitor signs in or up, and they come back to it. */
function NeedsAccount({ owner }: { readonly owner: string }) {
  const { t } = useTranslation(["account", "auth"]);
  const keep = () => keepReturnPath(mailLinkPaths.family, null);
  return (
    <>
      <p>{t("family.meaning", { owner })}</p>
      <p>{t("family.needsAccount")}</p>
      <div className="row">
        <ButtonLink pair="action" to="/register" onClick={keep}>
          {t("auth:login.signUp")}
        </ButtonLink>
        <ButtonLink to="/login" onClick={keep}>
          {t("auth:register.signIn")}
        </ButtonLink>
      </div>
    </>
  );
}

interface DecisionProps {
  readonly token: string;
  readonly invitation: InvitationResponse;
}

function Decision({ token, invitation }: DecisionProps) {
  const { t } = useTranslation("account");
  const { busy, failure, change } = useChange(t("family.failure"));
  const [choices, setChoices] = useState<FamilyChoices>({ owner_pays: true, shows_numbers: false });
  const navigate = useNavigate();
  const { family } = useQuery(familyQuery).data ?? {};
  const owner = invitation.owner_name;

  async function accept(): Promise<void> {
    const joined = await change(() => acceptInvitation(token, choices));
    if (!joined) return;
    toast.success(t("family.joined"));
    await navigate("/family", { replace: true });
    forgetInvitation();
  }

  if (family !== undefined && family !== null) {
    const isOwn = family.invitations.some(({ link }) => link.endsWith(`=${token}`));
    return (
      <Banner kind="info">
        <p>{t(isOwn ? "family.ownLink" : "family.already")}</p>
        <ButtonLink to="/family">{t("family.toFamily")}</ButtonLink>
      </Banner>
    );
  }
  return (
    <div className={styles.part}>
      {failure !== null && <Banner kind="error">{failure}</Banner>}
      <ChoiceFields owner={owner} choices={choices} onChange={setChoices} />
      <div className="row">
        <Button pair="action" busy={busy} onClick={() => void accept()}>
          {t("family.accept")}
        </Button>
        <ButtonLink to="/dialer">{t("family.notNow")}</ButtonLink>
      </div>
    </div>
  );
}
