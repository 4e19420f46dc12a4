import type { CountryPrices, NetworkPrice } from "@farline/contract/public-pages.ts";
import type { BillingRate } from "@farline/domain/calls/charge.ts";
import { countrySlug } from "@farline/domain/countries/country-slug.ts";
import { fromDecimalString } from "@farline/domain/money.ts";
import { IconArrowLeft, IconPhoneFilled } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { dateText } from "../../text/local-text.ts";
import { minutesForOneDollar, priceText, useIncrementText, useMinutesText } from "../../text/price-text.ts";
import { Flag } from "../../ui/flag.tsx";
import { Icon } from "../../ui/icon.tsx";
import { FreeFirstCall } from "../../ui/money/free-first-call.tsx";
import { PriceHistorySection } from "./price-history.tsx";
import type { ClockTexts } from "./live-clock.ts";
import { classNames } from "../../ui/class-names.ts";
import * as styles from "./country-page.module.css";
import * as iconStyles from "../../ui/icon.module.css";
import * as cardStyles from "../../ui/card.module.css";
import * as buttonStyles from "../../ui/button.module.css";
import * as ratesPageStyles from "./rates-page.module.css";

/** Maximum number of prefixes listed in a row. */
const MAX_PREFIXES = 6;

interface CountryPageProps {
  readonly country: CountryPrices;
  /** First-call credit in dollars; null if this reader gets none. */
  readonly firstCall: string | null;
  /** As the prices' descriptions write it. */
  readonly englishName: string;
  /** The clock's text about the difference to the reader's time. */
  readonly clockTexts: ClockTexts;
}

type Kind = "mobile" | "landline";

/** Prices of calls to one country, how to dial it, and its local time. */
export function CountryPage({ country, englishName, firstCall, clockTexts }: CountryPageProps) {
  const { t, i18n } = useTranslation("rates");
  const { name } = country;
  const dearestMobile = ofKind(country.prices, "mobile").at(-1);
  return (
    <main className={classNames(styles.country, "page")} id="main">
      <p>
        <a className="link" href="/rates">
          <Icon of={IconArrowLeft} className={iconStyles.back} />
          <span>{t("country.all")}</span>
        </a>
      </p>
      <div className={styles.head}>
        <Flag code={country.countryCode} size="lg" />
        <h1 className="t-page">{t("country.heading", { country: name })}</h1>
      </div>
      <section className={styles.top} aria-label={t("country.heading", { country: name })}>
        {(["mobile", "landline"] as const).map((kind) => (
          <PriceTile key={kind} kind={kind} usual={country.usual[kind]} prices={ofKind(country.prices, kind)} />
        ))}
        {country.timeZone !== null && (
          <div className={classNames(cardStyles.card, styles.clock)}>
            <h2 className="t-sub">{t("country.clock", { country: name })}</h2>
            <p className={classNames(styles.time, "fig")} data-clock={country.timeZone}>
              –
            </p>
            <p className="muted" data-clock-texts={JSON.stringify(clockTexts)}>
              {"\u00a0"}
            </p>
            <p className="muted small">{t("country.clockNote")}</p>
          </div>
        )}
      </section>
      <div className={styles.call}>
        <a
          className={classNames(buttonStyles.btn, buttonStyles.lg, buttonStyles.call)}
          href="/register"
          data-carry-country={country.countryCode}
        >
          <Icon of={IconPhoneFilled} />
          <span>{t("country.callKey", { country: name })}</span>
        </a>
        {firstCall !== null && dearestMobile !== undefined && (
          <FreeFirstCall amount={firstCall} price={billingRate(dearestMobile)} country={name} />
        )}
      </div>
      <HowToDial country={country} />
      <section className={ratesPageStyles.sec} aria-labelledby="every-price">
        <h2 className="t-card" id="every-price">
          {t("country.pricesTitle", { country: name })}
        </h2>
        <p className="muted">{t("country.pricesText")}</p>
        <PriceTable prices={country.prices} englishCountry={englishName} />
        <p className="muted small">{t("country.date", { date: dateText(country.effectiveAt, i18n.language) })}</p>
        <p>
          <a className="link" href={`/quality#${country.countryCode.toLowerCase()}`}>
            {t("country.quality", { country: name })}
          </a>
        </p>
      </section>
      <p>
        <a className="link" href={`/rates/compare?a=${countrySlug(englishName)}`}>
          {t("country.compare", { country: name })}
        </a>
      </p>
      {country.history !== null && <PriceHistorySection history={country.history} />}
    </main>
  );
}

function billingRate({ ratePerMinute, firstIntervalSeconds, nextIntervalSeconds }: NetworkPrice): BillingRate {
  return { ratePerMinuteMicros: fromDecimalString(ratePerMinute), firstIntervalSeconds, nextIntervalSeconds };
}

/** Prices of a kind of number, cheapest first. */
export function ofKind(prices: readonly NetworkPrice[], kind: Kind): readonly NetworkPrice[] {
  return prices
    .filter(({ numberType }) => numberType === kind || numberType === "fixed_or_mobile")
    .toSorted((a, b) => (fromDecimalString(a.ratePerMinute) < fromDecimalString(b.ratePerMinute) ? -1 : 1));
}

interface PriceTileProps {
  readonly kind: Kind;
  /** What most calls cost. */
  readonly usual: string | null;
  readonly prices: readonly NetworkPrice[];
}

function PriceTile({ kind, usual, prices }: PriceTileProps) {
  const { t, i18n } = useTranslation(["rates", "public"]);
  const price = priceText(i18n.language);
  const minutesText = useMinutesText();
  const [lowest, highest] = [prices[0], prices.at(-1)];
  if (usual === null || lowest === undefined || highest === undefined) return null;
  const [from, to] = [price.rate(lowest.ratePerMinute), price.rate(highest.ratePerMinute)];
  const minutes = minutesForOneDollar(usual);
  return (
    <div className={classNames(styles.tile, "on-panel")}>
      <h2 className="t-sub">{t(`country.${kind}`)}</h2>
      <p className={classNames(styles.price, "fig")}>
        <span>{price.rate(usual)}</span>
        <small>{t("public:perMinute")}</small>
      </p>
      {from !== to && <p className="small">{t("country.usual")}</p>}
      <p className="muted fig">
        {[
          ...(minutes === null ? [] : [t("dollarBuys", { minutes: minutesText(minutes) })]),
          ...(from === to ? [] : [t("country.range", { from, to })]),
        ].join(" · ")}
      </p>
    </div>
  );
}

function HowToDial({ country }: { readonly country: CountryPrices }) {
  const { t } = useTranslation("rates");
  const { name, example } = country;
  return (
    <section className={ratesPageStyles.sec} aria-labelledby="how-to-dial">
      <h2 className="t-card" id="how-to-dial">
        {t("country.howTitle", { country: name })}
      </h2>
      <dl className={styles.dialing}>
        <div>
          <dt>{t("country.howCode")}</dt>
          <dd className="fig" dir="ltr">
            {`+${country.dialCode}`}
          </dd>
        </div>
        {example !== null && (
          <>
            <div>
              <dt>{t("country.howHome", { country: name })}</dt>
              <dd className="fig" dir="ltr">
                {example.national}
              </dd>
            </div>
            <div>
              <dt>{t("country.howFull")}</dt>
              <dd className="fig" dir="ltr">
                {example.international}
              </dd>
            </div>
          </>
        )}
      </dl>
      <p className="muted">{t("country.howText")}</p>
    </section>
  );
}

function PriceTable({ prices, englishCountry }: { readonly prices: readonly NetworkPrice[]; readonly englishCountry: string }) {
  const { t } = useTranslation("rates");
  return (
    <div className={classNames(cardStyles.card, styles.countryPrices)}>
      <table className={styles.prices}>
        <thead>
          <tr>
            <th scope="col">{t("country.name")}</th>
            <th scope="col" className={styles.prefixes}>
              {t("country.prefixes")}
            </th>
            <th scope="col" className={styles.rate}>
              {t("country.rate")}
            </th>
            <th scope="col" className={styles.increment}>
              {t("country.increment")}
            </th>
          </tr>
        </thead>
        <tbody>
          {prices.map((price) => (
            <PriceRow key={price.prefixes.join()} price={price} englishCountry={englishCountry} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function PriceRow({ price, englishCountry }: { readonly price: NetworkPrice; readonly englishCountry: string }) {
  const { t, i18n } = useTranslation("rates");
  const incrementText = useIncrementText();
  const { prefixes } = price;
  const cityNames = (i18n.getResourceBundle(i18n.language, "cities") ?? {}) as Readonly<Record<string, string | undefined>>;
  const type = t(`types.${price.numberType}`);
  const network = networkName(price, englishCountry, (city) => cityNames[city]);
  const shown = prefixes.slice(0, MAX_PREFIXES).map((prefix) => `+${prefix}`);
  const more = prefixes.length - shown.length;
  const charged = incrementText(price.firstIntervalSeconds, price.nextIntervalSeconds);
  return (
    <tr>
      <th scope="row">
        <bdi>{network === "" ? type : network}</bdi>
        <span className={classNames(styles.type, "muted")}>
          <span>{type}</span>
          <span className={styles.narrow}>{` · ${charged}`}</span>
        </span>
      </th>
      <td className={classNames(styles.prefixes, "muted fig")}>
        <bdi dir="ltr">{shown.join(", ")}</bdi>
        {more > 0 && <span>{` ${t("country.morePrefixes", { count: more })}`}</span>}
      </td>
      <td className={classNames(styles.rate, "fig")}>
        {t("perMinute", { rate: priceText(i18n.language).rate(price.ratePerMinute) })}
      </td>
      <td className={classNames(styles.increment, "muted")}>{charged}</td>
    </tr>
  );
}

/** As carriers write number types after the country. */
const TYPE_WORDS =
  /^(mobile|landline|fixed|toll free|shared cost|uan|premium|voip|personal number|pager|voicemail|satellite)\b\s*/i;

/**
 * A price's network or city in the reader's language, without the country: "MTN", "Accra"; "" if the price names none. Networks, and cities
 * without a known translation, keep the carrier's name.
 * @param cityName a city's name in the reader's language by its English one
 */
export function networkName(
  { description, numberType }: Pick<NetworkPrice, "description" | "numberType">,
  englishCountry: string,
  cityName: (english: string) => string | undefined,
): string {
  const rest = description.startsWith(englishCountry) ? description.slice(englishCountry.length).trim() : description;
  const name = rest.replace(TYPE_WORDS, "");
  return numberType === "landline" ? (cityName(name) ?? name) : name;
}
