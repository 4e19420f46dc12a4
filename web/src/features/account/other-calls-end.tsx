import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Banner } from "../../ui/messages/banner.tsx";
import { sessionsQuery } from "./account-queries.ts";

/** Says which calls end with the other devices' sessions, before they are signed out. */
export function OtherCallsEnd() {
  const { t } = useTranslation("account");
  const { data = [] } = useQuery(sessionsQuery);
  const inCall = data.filter(({ current, in_call: isInCall }) => !current && isInCall);
  return inCall.map(({ id, device }) => (
    <Banner key={id} kind="info">
      {t("devices.callEnds", { device })}
    </Banner>
  ));
}
