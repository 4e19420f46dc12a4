import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { formatBalance, formatCost, formatCount, formatRate, formatTimer } from "../../lib/format.ts";
import { balanceQuery } from "../../lib/queries.ts";
import type { PhoneCall, PhoneStatus } from "../../phone/phone-state.ts";
import { Banner } from "../../ui/banner.tsx";
import { KeyLink } from "../../ui/key.tsx";
import { balanceAfter, type CallCost, callSeconds, costSoFar, creditLeft, type CreditLeft } from "./call-facts.ts";

interface CallMoneyProps {
  readonly call: PhoneCall;
  readonly status: Exclude<PhoneStatus, "idle">;
}

/** The cost while it grows, the rate, and what is left. After the end the service's own figure. */
export function CallMoney({ call, status }: CallMoneyProps) {
  const { t } = useTranslation("dialer");
  const cost = costSoFar(call);
  const left = creditLeft(call);
  return (
    <div className="incall__money">
      <dl className="call__money">
        <div>
          <dt>{cost.final ? t("call.cost") : t("call.estimatedCost")}</dt>
          <dd>{formatCost(cost.cost)}</dd>
        </div>
        {status === "ended" ? (
          <div>
            <dt>{t("call.duration")}</dt>
            <dd>{formatTimer(callSeconds(call))}</dd>
          </div>
        ) : (
          <div>
            <dt>{t("call.rate")}</dt>
            <dd>
              {call.record === null ? "–" : formatRate(call.record.rate_per_minute)}
              <span className="unit">{t("call.perMinute")}</span>
            </dd>
          </div>
        )}
      </dl>
      {left !== null && status !== "ended" && <Left call={call} cost={cost} left={left} />}
    </div>
  );
}

function Left({ call, cost, left }: { readonly call: PhoneCall; readonly cost: CallCost; readonly left: CreditLeft }) {
  const { t } = useTranslation("dialer");
  const { data: balance } = useQuery(balanceQuery);
  const time =
    left.secondsLeft < 120
      ? t("call.secondsLeft", { seconds: left.secondsLeft })
      : t("call.minutesLeft", { minutes: formatCount(Math.floor(left.secondsLeft / 60)) });
  return (
    <div className="left">
      <p className="spread">
        <strong className="left__min fig">{time}</strong>
        {balance !== undefined && (
          <span className="muted small fig">{formatBalance(balanceAfter(balance.balance, cost), balance.currency)}</span>
        )}
      </p>
      <div className="meter" role="img" aria-label={t("call.creditLeft", { percent: left.percent })}>
        <i style={{ width: `${left.percent}%` }} />
      </div>
      <div role="status">{left.low && <LowCredit warning={call.creditWarning} />}</div>
    </div>
  );
}

/** In time to do something about it; in a new tab, so that the call goes on here. */
function LowCredit({ warning }: { readonly warning: PhoneCall["creditWarning"] }) {
  const { t } = useTranslation("dialer");
  const text = warning === 15 ? t("call.low15") : warning === 60 ? t("call.low60") : t("call.low");
  return (
    <div className="left__low">
      <Banner kind="credit">{text}</Banner>
      <KeyLink pair="credit" wide to="/topup" target="_blank" rel="noreferrer">
        {t("error.topUp")}
      </KeyLink>
    </div>
  );
}
