import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { offsetMinutes } from "./time-difference.ts";

interface LocalTimeProps {
  /** IANA name. */
  readonly timeZone: string;
}

const TICK_MS = 1_000;

/** The time at a destination now, and how far it is from the reader's. Until the page runs, a dash keeps its place. */
export function LocalTime({ timeZone }: LocalTimeProps) {
  const { t, i18n } = useTranslation("rates");
  const [now, setNow] = useState<Date | null>(null);
  useEffect(() => {
    const tick = () => setNow(new Date());
    tick();
    const timer = setInterval(tick, TICK_MS);
    return () => clearInterval(timer);
  }, []);
  const time =
    now === null
      ? "–"
      : new Intl.DateTimeFormat(i18n.language, { timeZone, hour: "2-digit", minute: "2-digit", hourCycle: "h23" }).format(now);
  const day = now === null ? "\u00a0" : new Intl.DateTimeFormat(i18n.language, { timeZone, weekday: "long" }).format(now);
  return (
    <>
      <p className="clock__time fig">{time}</p>
      <p className="muted">{now === null ? "\u00a0" : `${day}. ${difference(now)}.`}</p>
    </>
  );

  function difference(at: Date): string {
    const minutes = offsetMinutes(timeZone, at) + at.getTimezoneOffset();
    if (minutes === 0) return t("country.sameTime");
    const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60];
    const duration = rest === 0 ? t("country.hours", { count: hours }) : t("country.hoursMinutes", { hours, minutes: rest });
    return t(minutes > 0 ? "country.ahead" : "country.behind", { duration });
  }
}
