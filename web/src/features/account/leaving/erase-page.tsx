import { ERASURE_GRACE_DAYS, type GIFT_MARKS_KEPT, type KeptGroup, NUMBERS_KEPT_MONTHS } from "@farline/contract/constants.ts";
import type { ErasureResponse } from "@farline/contract/personal-data/erasure.ts";
import { fromDecimalString } from "@farline/domain/money.ts";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { useTitle } from "../../../browser/page-hooks.ts";
import { logOut } from "../../../session/log-out.ts";
import { formatDate, formatMoney, formatSum } from "../../../text/format.ts";
import { serviceNow } from "../../../time/clock.ts";
import { ButtonLink } from "../../../ui/button.tsx";
import { Card } from "../../../ui/card.tsx";
import { classNames } from "../../../ui/class-names.ts";
import { Banner } from "../../../ui/messages/banner.tsx";
import { toast } from "../../../ui/messages/toast.ts";
import { useChange } from "../../../ui/use-change.ts";
import { NotLoaded } from "../../../ui/waiting/loaded.tsx";
import { ConfirmButton } from "../account-controls.tsx";
import { erasureQuery, requestErasure } from "../account-queries.ts";
import * as styles from "../account.module.css";

type Erasure = ErasureResponse["erasure"];

/** Lists what deleting the account removes and what stays, and deletes it. */
export function ErasePage() {
  const { t } = useTranslation("account");
  const erasure = useQuery(erasureQuery);
  useTitle(t("erase.title"));
  return (
    <>
      <h1 className="t-page head">{t("erase.title")}</h1>
      {erasure.data !== undefined ? (
        <Leaving erasure={erasure.data} />
      ) : (
        <Card>
          <NotLoaded of={erasure} failure={t("erase.loadFailure")} rows={4} />
        </Card>
      )}
    </>
  );
}

function Leaving({ erasure }: { readonly erasure: Erasure }) {
  const { t } = useTranslation("account");
  return (
    <div className={classNames(styles.erase, "stack")}>
      <Card>
        <p>{t("erase.lead", { days: ERASURE_GRACE_DAYS })}</p>
        <p>
          <Link className="link" to="/account">
            {t("erase.copyFirst")}
          </Link>
        </p>
      </Card>
      <ErasureList kept={erasure.kept} />
      <Card title={t("erase.actionTitle")}>
        {erasure.at !== null ? (
          <Banner kind="warn">{t("erase.closing", { date: formatDate(erasure.at) })}</Banner>
        ) : erasure.obstacle !== null ? (
          <Obstacle erasure={erasure} obstacle={erasure.obstacle} />
        ) : (
          <Delete forfeited={erasure.forfeited} />
        )}
      </Card>
    </div>
  );
}

function Obstacle({ erasure, obstacle }: { readonly erasure: Erasure; readonly obstacle: NonNullable<Erasure["obstacle"]> }) {
  const { t } = useTranslation("account");
  return (
    <div className={styles.part}>
      <Banner kind="warn">{t(`erase.obstacle.${obstacle}`, { amount: formatMoney(erasure.withdrawable) })}</Banner>
      {obstacle === "withdrawable_credit" && (
        <ButtonLink pair="credit" to="/billing">
          {t("erase.withdraw")}
        </ButtonLink>
      )}
      {(obstacle === "frozen" || obstacle === "debt") && (
        <Link className="link" to="/cases/new">
          {t("export.contact")}
        </Link>
      )}
    </div>
  );
}

function Delete({ forfeited }: { readonly forfeited: string }) {
  const { t } = useTranslation("account");
  const { busy, failure, change } = useChange(t("erase.failure"));
  const [agreed, setAgreed] = useState(false);
  const loses = fromDecimalString(forfeited) > 0n;

  const erase = () =>
    change(async () => {
      const at = await requestErasure(forfeited);
      toast.success(t("erase.done", { date: formatDate(at ?? new Date(serviceNow()).toISOString()) }));
      logOut("/login");
    });

  return (
    <div className={styles.part}>
      {failure !== null && <Banner kind="error">{failure}</Banner>}
      {loses && (
        <label className={styles.agree}>
          <input type="checkbox" checked={agreed} onChange={(event) => setAgreed(event.target.checked)} />
          <span>{t("erase.giveUp", { amount: formatSum(forfeited) })}</span>
        </label>
      )}
      <ConfirmButton
        pair="end"
        busy={busy}
        disabled={loses && !agreed}
        title={t("erase.confirmTitle")}
        text={t("erase.confirmText", { days: ERASURE_GRACE_DAYS })}
        action={t("erase.button")}
        onConfirm={() => void erase()}
      />
    </div>
  );
}

/** The type keeps them equal, and an import would cost the first page its bytes. */
const MARKS_KEPT: typeof GIFT_MARKS_KEPT = { networkDays: 60, personYears: 3 };
const GOES = ["identity", "signIn", "contacts", "cards", "numbers", "activity"] as const;

/** What an erasure deletes, and what stays and why. */
function ErasureList({ kept }: { readonly kept: readonly KeptGroup[] }) {
  const { t } = useTranslation(["account", "company"]);
  return (
    <>
      <Card title={t("erase.goesTitle")}>
        <ul className={styles.erasure}>
          {GOES.map((what) => (
            <li key={what}>{t(`erase.goes.${what}`)}</li>
          ))}
        </ul>
      </Card>
      <Card title={t("erase.keptTitle")}>
        <p>{t("erase.keptText")}</p>
        <ul className={styles.erasure}>
          {kept.map((group) => (
            <li key={group}>{t(`company:privacy.keptList.${group}`, MARKS_KEPT)}</li>
          ))}
          <li>{t("company:privacy.keptBlocked")}</li>
        </ul>
        <p className="muted">{t("erase.keptHowLong", { months: NUMBERS_KEPT_MONTHS })}</p>
      </Card>
    </>
  );
}
