import type { ReferralResponse } from "@farline/contract/promotions.ts";
import { IconShare } from "@tabler/icons-react";
import { queryOptions, useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { request } from "../../service/http.ts";
import { configQuery } from "../../service/queries.ts";
import { formatCount, formatMoney, formatSum } from "../../text/format.ts";
import { i18n } from "../../text/i18n.ts";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { classNames } from "../../ui/class-names.ts";
import { LinkField } from "../../ui/forms/form-fields.tsx";
import { Icon } from "../../ui/icon.tsx";
import { ValueList } from "../../ui/value-list.tsx";
import { Loaded } from "../../ui/waiting/loaded.tsx";
import { copyText } from "./account-controls.tsx";
import * as styles from "./account.module.css";

/** `GET /api/referral`: the customer's own invitation. */
const invitationQuery = queryOptions({
  queryKey: ["referral"],
  queryFn: ({ signal }) => request("GET /api/referral", { signal }),
  meta: { failure: () => i18n.t("account:invite.failure") },
});

/** The customer's invitation link and its results; renders nothing when invitations earn no bonus. */
export function InviteCard() {
  const { t } = useTranslation("account");
  const { data: config } = useQuery(configQuery);
  const wanted = config !== undefined && config.referral !== null;
  const invitation = useQuery({ ...invitationQuery, enabled: wanted });
  if (!wanted) return null;
  return (
    <Card title={t("invite.title")}>
      <Loaded of={invitation} failure={t("invite.failure")} rows={2}>
        {(data) => <Invitation invitation={data} />}
      </Loaded>
    </Card>
  );
}

/** Opens the device's share sheet (W3C Web Share). Dismissing the sheet is not an error; the link can still be copied. */
async function share(what: { text: string; url: string }): Promise<void> {
  await navigator.share(what).catch(() => undefined);
}

function Invitation({ invitation }: { readonly invitation: ReferralResponse }) {
  const { t } = useTranslation("account");
  const { bonus, min_top_up: min, link, invited, rewarded, earned } = invitation;
  return (
    <div className={classNames(styles.invite, "stack")}>
      <p className="muted">{t("invite.text", { bonus: formatMoney(bonus), min: formatMoney(min) })}</p>
      <LinkField label={t("invite.link")} value={link} />
      <div className="row">
        {navigator.share !== undefined && (
          <Button
            pair="action"
            onClick={() => void share({ text: t("invite.message", { bonus: formatMoney(bonus) }), url: link })}
          >
            <Icon of={IconShare} />
            <span>{t("invite.share")}</span>
          </Button>
        )}
        <Button pair={navigator.share === undefined ? "action" : "quiet"} onClick={() => void copyText(link)}>
          {t("invite.copy")}
        </Button>
      </div>
      <ValueList
        className={styles.counts}
        of={[
          { name: t("invite.invited"), value: formatCount(invited) },
          { name: t("invite.rewarded"), value: formatCount(rewarded) },
          { name: t("invite.earned"), value: formatSum(earned) },
        ]}
      />
    </div>
  );
}
