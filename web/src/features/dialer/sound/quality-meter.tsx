import { useTranslation } from "react-i18next";
import type { QualityBand } from "../../../phone/call/call-quality.ts";
import "../call/call-view.css";
import "../../../ui/quality-meter.css";

const BARS: Readonly<Record<QualityBand, number>> = { excellent: 5, good: 4, fair: 3, poor: 2, bad: 1 };

/** Call quality: five bars and a word. */
export function QualityMeter({ band }: { readonly band: QualityBand }) {
  const { t } = useTranslation("dialer");
  return (
    <span className="quality" data-q={BARS[band]}>
      <span className="quality__bars" aria-hidden="true">
        <i />
        <i />
        <i />
        <i />
        <i />
      </span>
      <span>
        <span className="quality__hd">{t("quality.prefix")} </span>
        <span>{t(`quality.${band}`)}</span>
      </span>
    </span>
  );
}
