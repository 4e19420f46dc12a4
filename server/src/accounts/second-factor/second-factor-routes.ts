import { serve } from "../../platform/http/endpoint.ts";
import type { App } from "../../platform/http/http.ts";
import { sharedNetworkLimit } from "../../platform/http/network-limit.ts";
import { hashChallenge } from "../sign-in/finish-sign-in.ts";
import { isOpenChallenge } from "../record/sign-in-challenge.store.ts";
import { takeKnown, type Known } from "../doors.ts";
import { toUser } from "../record/to-user.ts";
import { sessionOf } from "../session/session-guards.ts";
import { browserHashOf } from "../session/browser.ts";
import { requestOrigin } from "../session/request-origin.ts";
import { signInOrigin } from "../session/start-session.ts";
import { finishSecondFactor } from "./finish-second-factor.ts";
import { confirmSetup, removeAuthenticator, renewRecoveryCodes, startAuthenticator } from "./set-up-authenticator.ts";
import type { AccountContext } from "../account-context.ts";

const TEN_MINUTES_SECONDS = 10 * 60;

/** `/api/login/second-factor` and `/api/account/authenticator`: authenticator and recovery codes. */
export function secondFactorRoutes(app: App, ctx: AccountContext): void {
  const network = sharedNetworkLimit(ctx.handle, {
    name: "second-factor-network",
    points: 30,
    perSeconds: TEN_MINUTES_SECONDS,
    scale: ctx.config.limitsScale,
  });

  serve(app, "POST /api/login/second-factor", {
    preHandler: (request) => takeKnown(network, request, openChallengeOf(ctx)),
    handler: async (request, reply) => {
      const { customer, token } = await finishSecondFactor(
        ctx,
        request.body,
        signInOrigin(request, reply, ctx.config.secretKeys),
      );
      request.log.info({ customer: customer.id }, "signed in with a second factor");
      return { token, user: toUser(customer) };
    },
  });
  authenticatorRoutes(app, ctx);
}

/** A sign-in whose password was right, by its challenge, which has five attempts. */
function openChallengeOf({ handle, clock }: AccountContext): Known {
  return async (request) => {
    const hash = hashChallenge((request.body as { challenge: string }).challenge);
    return (await isOpenChallenge(handle.db, hash, clock.now())) ? `challenge ${hash.toString("base64url")}` : null;
  };
}

function authenticatorRoutes(app: App, ctx: AccountContext): void {
  serve(app, "POST /api/account/authenticator", async (request) => {
    const setup = await startAuthenticator(ctx, sessionOf(request));
    return setup;
  });

  serve(app, "POST /api/account/authenticator/confirm", async (request) => {
    const customer = sessionOf(request);
    const codes = await confirmSetup(ctx, customer, { code: request.body.code, from: requestOrigin(request) });
    request.log.info({ customer: customer.id }, "second factor switched on");
    return { recovery_codes: codes };
  });

  serve(app, "POST /api/account/authenticator/recovery-codes", async (request) => {
    const customer = sessionOf(request);
    return { recovery_codes: await renewRecoveryCodes(ctx, customer, requestOrigin(request)) };
  });

  serve(app, "DELETE /api/account/authenticator", async (request) => {
    const customer = sessionOf(request);
    await removeAuthenticator(ctx, customer, { browserHash: browserHashOf(request), from: requestOrigin(request) });
    request.log.info({ customer: customer.id }, "second factor switched off");
  });
}
