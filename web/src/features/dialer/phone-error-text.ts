import { formatMoney } from "../../text/format.ts";
import { refusalText } from "../../service/http.ts";
import { i18n } from "../../text/i18n.ts";
import type { PhoneError } from "../../phone/phone-error.ts";

/** What the caller reads about a failure: the service's own sentence, else ours. */
export function phoneErrorText(error: PhoneError): string {
  return error.message === "" ? i18n.t(`dialer:error.${error.code}`) : refusalText(error.serviceCode ?? "", error.message);
}

/** "This call needs at least $0.14. You have $0.01." Null when credit is not the reason. */
export function missingCreditText(error: PhoneError): string | null {
  if (error.credit === null) return null;
  const { required, available, missing } = error.credit;
  return i18n.t("dialer:error.missingCredit", {
    required: formatMoney(required, 4),
    available: formatMoney(available, 4),
    missing: formatMoney(missing, 4),
  });
}
