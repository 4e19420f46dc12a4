import { toDecimalString } from "@farline/domain/money.ts";
import { customerOf, perCustomer } from "../accounts/accounts.ts";
import { serve } from "../platform/http/endpoint.ts";
import type { App } from "../platform/http/http.ts";
import { sharedRateLimit } from "../platform/http/rate-limit.ts";
import { limitGuesses } from "./promo/limit-guesses.ts";
import { previewPromo } from "./promo/preview-promo.ts";
import { packagePrice } from "./promo/promo.store.ts";
import { REFERRAL_CLAIMS } from "./promotion-limits.ts";
import { claimInvitation, readInvitation } from "./referral/invite.ts";
import type { ServiceContext } from "../context.ts";

/** Promo-code previews and invitations. */
export function promotionRoutes(app: App, ctx: ServiceContext): void {
  const { handle, clock, config } = ctx;
  const guess = limitGuesses(handle, config.limitsScale);
  const claims = sharedRateLimit(handle, { name: "referral_claim", ...REFERRAL_CLAIMS, scale: config.limitsScale });

  serve(app, "POST /api/billing/promo/check", async (request) => {
    const { id: customerId } = customerOf(request);
    const { code: typed, amount = 0n, package_id } = request.body;
    const packageId = package_id === undefined ? null : String(package_id);
    const price = packageId === null ? amount : await packagePrice(handle.db, packageId);
    const order = { typed, customerId, packageId, chargeMicros: price ?? 0n, now: clock.now() };
    return guess(
      customerId,
      () => previewPromo(handle.db, order),
      (preview) => preview.refusal === "unknown",
    );
  });

  serve(app, "GET /api/referral", async (request) => readInvitation(ctx, customerOf(request)));

  serve(app, "POST /api/referral/claim", {
    onRequest: perCustomer(claims),
    handler: async (request) => {
      const customer = customerOf(request);
      const accepted = await claimInvitation(ctx, customer, request.body.code);
      return { accepted, bonus: toDecimalString(accepted ? config.promotions.referralMicros : 0n) };
    },
  });
}
