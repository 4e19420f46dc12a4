import { RETURNABLE_DAYS, type cardBrands } from "@farline/contract/constants.ts";
import type { SellerNotice } from "@farline/contract/public-pages.ts";
import { paymentMethodName } from "@farline/domain/payment-method-name.ts";
import type { SupportHours } from "@farline/domain/business/support-hours.ts";

/** The seller of credit, as printed on receipts and statements. */
export interface Seller {
  readonly name: string;
  /** Address lines. */
  readonly address: readonly string[];
  readonly taxId: string | null;
  /** Tax included in every price, in thousandths of a percent (8.875 % is 8875); null if none is stated. */
  readonly taxMillipercent: number | null;
  /** A sentence about tax for every receipt. */
  readonly taxNote: string | null;
}

/** Used until the operator sets one; production does not start with it. */
export const SAMPLE_SELLER: Seller = {
  name: "Farline Sample Seller",
  address: ["1 Sample Street", "Sample City"],
  taxId: "SAMPLE-000000",
  taxMillipercent: null,
  taxNote: null,
};

const SAMPLE_LAW = "Sample Country";
const SAMPLE_REGISTRATION = "Sample Register 000000";
const SAMPLE_HOURS: SupportHours = {
  spans: [{ first_day: 1, last_day: 5, from_minute: 9 * 60, to_minute: 17 * 60 }],
  time_zone: "UTC",
};

/** What the operator has configured for the notice in addition to the seller. */
interface NoticeSettings {
  readonly law?: string | undefined;
  readonly registration?: string | undefined;
  readonly supportHours?: SupportHours | undefined;
  readonly supportEmail: string;
  readonly cards: readonly (typeof cardBrands)[number][];
}

/** The seller's details on public pages and beside each button that pays. */
export function noticeOf({ name, address, taxId }: Seller, settings: NoticeSettings): SellerNotice {
  const sample = name === SAMPLE_SELLER.name;
  return {
    name,
    address: [...address],
    tax_id: taxId,
    registration: settings.registration ?? (sample ? SAMPLE_REGISTRATION : null),
    law: settings.law ?? SAMPLE_LAW,
    support_email: settings.supportEmail,
    support_hours: presentHours(settings.supportHours ?? (sample ? SAMPLE_HOURS : null)),
    return_days: RETURNABLE_DAYS,
    cards: settings.cards.map((brand) => paymentMethodName({ brand, last4: null })),
    sample,
  };
}

function presentHours(hours: SupportHours | null): SellerNotice["support_hours"] {
  return hours === null ? null : { ...hours, spans: [...hours.spans] };
}
