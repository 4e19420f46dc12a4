import { withoutCurrency } from "./currencies.ts";

/**
 * Headers of carriers and switches by what they mean, separated by "|". Sources: PortaOne, JeraSoft, Sippy, ASTPP, A2Billing,
 * MagnusBilling, Kazoo, IvozProvider, Yeti, Twilio, Telnyx, Bandwidth, 46 Labs, and carriers' lists in their languages.
 */
const HEADERS = {
  prefixes: [
    "prefix|prefixes|destination prefixes|destination prefix|dial prefix|dialprefix|dial code|dial codes|dialling code|dialcode|code|codes",
    "phone prefix|dialled prefix|destination code|dst codes|dst code|dst prefix|match prefix|vorwahl|rufnummernprefix|indicatif|préfixe|prefijo|código|prefisso|prefixo|netnummer",
    "numer kierunkowy|prefiks|префикс|код|коды|код направления|önek|alan kodu|البادئة|الرمز|前缀|区号",
    "kode|代码|mã|mã vùng|đầu số",
  ].join("|"),
  callingCode:
    "kode negara|mã nước|mã quốc gia|country code|country codes|cc|calling code|country calling code|country dial code|country prefix|intl code|international code|ländercode|ländervorwahl|indicatif pays|código de país|codice paese|landcode|код страны|ülke kodu|国家代码",
  areaCodes:
    "area code|area codes|city code|city codes|city code s|ndc|national code|region code|regional code|local code|areacode|citycode|ortsvorwahl|código de área|код города",
  description: [
    "description|destination|destination name|code name|destinations|route|zone|name|dst name|rate name|ziel|zielname|bezeichnung|beschreibung|destino|descripción|descrizione|destinazione",
    "descrição|bestemming|omschrijving|kierunek|opis|направление|название|описание|yön|açıklama|الوجهة|目的地|名称|国家 地区|tujuan|điểm đến",
  ].join("|"),
  country: "country|country name|land|pays|país|paese|kraj|страна|ülke|البلد|الدولة|国家|negara|quốc gia",
  iso: "iso|iso2|iso code|country iso|prefix iso country code|iso country code",
  type: "number type|type",
  price: [
    "rate|price|rate min|price min|rate per minute|price per min|price per minute|rate per min|cost|per minute cost|rate cost|cost per minute|voice rate|buy rate|buyrate",
    "preis|preis min|preis pro minute|minutenpreis|prix|prix min|prix minute|tarif min|precio|precio min|precio por minuto|tarifa|prezzo|prezzo min|preço|preço min|prijs|prijs per minuut",
    "stawka|stawka za minutę|harga|harga menit|harga per menit|giá|đơn giá|giá phút|цена мин|费率 美元 分钟|单价 美元 分钟|价格 美元 分钟",
    "cena|cena za minutę|цена|тариф|стоимость|цена за минуту|fiyat|dakika fiyatı|السعر|سعر الدقيقة|价格|费率|单价",
  ].join("|"),
  firstPrice: "price 1|initial rate",
  nextPrice: "price n|next rate",
  callPrice: "price per call|connect cost|connection fee|connect charge|rate surcharge|connection charge|pvt rate surcharge",
  increments:
    "billing|billing increment|billing increments|increments|bi type|pulse|rounding|taktung|takt|abrechnungstakt|facturation|facturación|fatturazione|faturamento|тарификация|шаг тарификации|naliczanie|periyot|pembulatan|làm tròn|计费单位|计费单位 秒",
  firstInterval:
    "interval 1|initial interval|first interval|first interval s|initial increment|initial|initial block|rate minimum|initblock",
  nextInterval: "interval n|interval|next interval|next interval s|increment|rate increment|billing block|billingblock",
  effective: [
    "effective|effective date|effective from|start date|startdate|valid from|activation date|date effective|effective start date|gültig ab|date d effet|fecha efectiva|vigencia",
    "valido dal|data di decorrenza|data de vigência|ingangsdatum|ważny od|дата начала|действует с|дата вступления|дата вступления в силу|obowiązuje od|berlaku mulai|ngày hiệu lực|geçerlilik tarihi|生效日期",
  ].join("|"),
  currency: "currency|curr|cur|ccy|currency code|währung|devise|moneda|valuta|moeda|waluta|валюта|para birimi|货币",
  unit: "unit|rate unit|price unit|per|einheit|unité|unidad|unità|unidade|eenheid|jednostka|единица|birim|单位",
  origins: "origination prefixes|origination prefix|origin prefixes|src codes|caller id numbers|origination|origin",
  forbidden:
    "forbidden|discontinued|blocked|closed|barred|suspended|disabled|gesperrt|geschlossen|bloqué|fermé|bloqueado|cerrado|bloccato|chiuso|geblokkeerd|zablokowany|заблокирован|блокировка|закрыт|engelli|diblokir|bị khóa|محظور|禁用",
  active: "active|enabled|available|open|aktiv|actif|activo|attivo|ativo|actief|aktywny|активен|aktif|启用",
  change:
    "change|action|change type|rate change|price change|code change|änderung|changement|cambio|variazione|alteração|wijziging|zmiana|изменение|değişiklik|变动",
  status: "status|state|rate status|code status|statut|estado|stato|estado|stan|статус|durum|trạng thái|الحالة|状态",
  exactMatch: "exact match",
  direction: "direction",
};
/** The meaning of a deck file's column. */
export type DeckColumn = keyof typeof HEADERS;
const BY_HEADER: ReadonlyMap<string, DeckColumn> = new Map(
  Object.entries(HEADERS).flatMap(([column, names]) => names.split("|").map((name) => [plainHeader(name), column as DeckColumn])),
);
/** Headers of columns that only identify a row. Their words are still checked. */
const LABELS: ReadonlySet<string> = new Set(
  [
    "id|rate id|rate key|rate ref|rate reference|no|nr|number|row|line|item|index|mcc|mnc|mccmnc|mcc mnc|network|operator|operator name|network name|region|continent|zone id|zone name",
    "rate plan|rate plan id|rate card|tariff plan|price list|plan|product|route class|rate version|version|ratedeck id|account id|carrier|carrier name|vendor|supplier|provider|provider name",
    "weight|old rate|old price|previous rate|previous price|netz|netzbetreiber|réseau|opérateur|red|operador|rete|operatore|rede|сеть|оператор|网络|运营商",
  ]
    .join("|")
    .split("|")
    .map(plainHeader),
);
/** "Code 2" continues the column "Code". */
const FURTHER = /^(\D+?) (?:[1-9]|1\d|20)$/;

/** Normalises a header to lower-case letters and digits, in any script, with single spaces. */
export function plainHeader(header: string): string {
  return header
    .normalize("NFKD")
    .replaceAll("$", " usd ")
    .toLowerCase()
    .replaceAll(/\p{M}/gu, "")
    .replaceAll("ı", "i")
    .replaceAll(/[^\p{L}\p{N}]+/gu, " ")
    .trim();
}

/** The meaning of a normalised header; `label` for a column that only identifies the row; null for an unknown one. */
export function columnOf(name: string): DeckColumn | "label" | null {
  const found = BY_HEADER.get(name) ?? BY_HEADER.get(withoutCurrency(name)) ?? furtherCodes(name);
  return found ?? (LABELS.has(name) || LABELS.has(withoutCurrency(name)) ? "label" : null);
}

/** Whether a column continues a list of codes: "Code 2", "Area code 3". */
export function isFurtherCodes(name: string): boolean {
  return furtherCodes(name) !== undefined;
}

function furtherCodes(name: string): DeckColumn | undefined {
  const column = BY_HEADER.get(FURTHER.exec(name)?.[1] ?? "");
  return column === "prefixes" || column === "areaCodes" ? column : undefined;
}

/** Whether a cell is one of the known headers. */
export function isHeaderWord(cell: string): boolean {
  return cell.length < 40 && /\p{L}/u.test(cell) && columnOf(plainHeader(cell)) !== null;
}
