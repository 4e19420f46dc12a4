import { DAY_SECONDS } from "@farline/domain/durations.ts";
import { randomUUID } from "node:crypto";
import { mailLinkPaths } from "@farline/contract/constants.ts";
import type { Language } from "@farline/contract/languages.ts";
import { askerFor, perDoor, perLink } from "../accounts/accounts.ts";
import { enqueueMail, linkUses, sayMaybeMailed, type Asker } from "../mail/mail.ts";
import { AppError } from "../platform/app-error.ts";
import { serve } from "../platform/http/endpoint.ts";
import type { App } from "../platform/http/http.ts";
import type { Job } from "../platform/jobs/jobs.ts";
import { preferredLanguage, say } from "../platform/http/say.ts";
import { LIMITS } from "../platform/http/limit-lanes.ts";
import { sharedNetworkLimit } from "../platform/http/network-limit.ts";
import { isWithin, sharedRateLimit, type RateLimit } from "../platform/http/rate-limit.ts";
import { readLinkToken } from "../platform/settings/secret-keys.ts";
import { endReminder } from "../reminders/reminders.ts";
import { requestSubscription, confirmSubscription, deleteUnconfirmed, endSubscription } from "./newsletter.store.ts";
import type { ServiceContext } from "../context.ts";

const CLEAN_EVERY_MS = 60 * 60 * 1000;
const LINK_DAYS = 7;
/** A form's key and value, in either of its encodings. */
const ONE_CLICK = ["List-Unsubscribe", "One-Click"] as const;
const ONE_CLICK_BYTES = 1024;

/** `/api/newsletter`: subscribe, confirm by link, and unsubscribe by the link of any mail. No account is needed. */
export function newsletterRoutes(app: App, ctx: ServiceContext): void {
  const { config } = ctx;
  const address = sharedRateLimit(ctx, "newsletter-address");
  const links = sharedNetworkLimit(ctx, "newsletter-link");

  serve(app, "POST /api/newsletter", {
    onRequest: perDoor(ctx, sharedNetworkLimit(ctx, "newsletter-network")),
    handler: async (request) => {
      const language = request.body.language ?? preferredLanguage(request.headers["accept-language"]);
      const { email } = request.body;
      await subscribe(ctx, { email, language, asker: await askerFor(ctx, request, email), limit: address });
      // The same response for every address.
      return sayMaybeMailed(ctx, "newsletter_asked", { max: LIMITS["newsletter-address"].points });
    },
  });

  serve(app, "POST /api/newsletter/confirm", {
    preHandler: perLink(config.secretKeys, links, [linkUses.newsletterConfirm]),
    handler: async (request) => {
      const id = readLinkToken(config.secretKeys, linkUses.newsletterConfirm, request.body.token);
      if (id === null || !(await confirm(ctx, id))) throw new AppError("link_expired");
      return say("newsletter_confirmed");
    },
  });

  const perUnsubscribeLink = perLink(config.secretKeys, links, [linkUses.newsletterUnsubscribe, linkUses.reminderStop]);
  serve(app, "POST /api/newsletter/unsubscribe", {
    preHandler: perUnsubscribeLink,
    handler: (request) => unsubscribe(ctx, request.body.token),
  });

  serve(app, "POST /api/newsletter/one-click", {
    preHandler: perUnsubscribeLink,
    bodyLimit: ONE_CLICK_BYTES,
    handler: (request) => {
      if (!ONE_CLICK.every((word) => request.body.includes(word))) throw new AppError("malformed_request");
      return unsubscribe(ctx, request.query.token);
    },
  });
  serve(app, "GET /api/newsletter/one-click", async (request, reply) =>
    reply.redirect(`${mailLinkPaths.newsletterUnsubscribe}#t=${encodeURIComponent(request.query.token)}`, 302),
  );
}

/** Ends the newsletter or the reminder of a link. @throws AppError link_expired */
async function unsubscribe({ handle, clock, config }: ServiceContext, token: string) {
  const reminder = readLinkToken(config.secretKeys, linkUses.reminderStop, token);
  if (reminder !== null && (await endReminder(handle.db, reminder))) return say("reminder_left");
  const id = readLinkToken(config.secretKeys, linkUses.newsletterUnsubscribe, token);
  if (id === null || (await endSubscription(handle.db, id, clock.now())) === undefined) throw new AppError("link_expired");
  return say("newsletter_left");
}

/** Deletes requests that were never confirmed. */
export function newsletterJobs(ctx: ServiceContext): Job[] {
  return [
    {
      name: "remove-unconfirmed-subscriptions",
      everyMs: CLEAN_EVERY_MS,
      run: (signal) => deleteUnconfirmed(ctx.handle.db, linksSince(ctx.clock.now()), signal),
    },
  ];
}

/** Anyone may enter a stranger's address, so each gets only a few mails a day, and subscribers none. Owners are counted apart. */
async function subscribe(
  ctx: ServiceContext,
  request: { email: string; language: Language; asker: Asker; limit: RateLimit },
): Promise<void> {
  const now = ctx.clock.now();
  await ctx.transaction(async (tx) => {
    const subscription = await requestSubscription(tx, {
      id: randomUUID(),
      email: request.email,
      language: request.language,
      now,
    });
    const counted = request.asker.by === "owner" ? `${subscription.id} owner` : subscription.id;
    if (subscription.state !== "asked" || !(await isWithin(request.limit, counted))) return;
    await enqueueMail(tx, {
      asker: request.asker,
      template: "newsletter_confirm",
      data: { linkId: subscription.id },
      to: subscription.email,
      language: subscription.language,
      key: `newsletter_confirm ${subscription.id} ${randomUUID()}`,
      at: now,
    });
  });
}

async function confirm(ctx: ServiceContext, id: string): Promise<boolean> {
  const now = ctx.clock.now();
  return ctx.transaction(async (tx) => {
    const done = await confirmSubscription(tx, { id, requestedAfter: linksSince(now), now });
    if (done === undefined) return false;
    if (done.first)
      await enqueueMail(tx, {
        asker: { by: "owner" },
        template: "newsletter_welcome",
        data: { linkId: id },
        to: done.subscription.email,
        language: done.subscription.language,
        key: `newsletter_welcome ${id} ${now.toISOString()}`,
        at: now,
      });
    return true;
  });
}

function linksSince(now: Date): Date {
  return new Date(now.getTime() - LINK_DAYS * DAY_SECONDS * 1000);
}
