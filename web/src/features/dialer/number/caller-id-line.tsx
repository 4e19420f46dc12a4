import { IconUserScan } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { callerIdQuery } from "../../../service/queries.ts";
import { writeNumber } from "../../../text/phone-text.ts";
import { Icon } from "../../../ui/icon.tsx";
import "./caller-id-line.css";

/** The number that the called person sees; it leads to where another one is chosen. */
export function CallerIdLine() {
  const { t } = useTranslation("dialer");
  const { data: callerId } = useQuery(callerIdQuery);
  if (callerId === undefined) return null;
  return (
    <Link className="shownline fig" to="/account">
      <Icon of={IconUserScan} />
      <span>{t("callerId.shown", { number: writeNumber(callerId.shown) })}</span>
    </Link>
  );
}
