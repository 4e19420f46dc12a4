import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { PoolClient } from "pg";
import { z } from "zod";
import type Stripe from "stripe";
import { acceptForms, type Html, isCrossSite } from "../../pages/html.ts";
import { layout, sendPage } from "../../pages/layout.ts";
import { decodeForm } from "../api/form-body.ts";
import { settleDelayedPayment } from "../checkout/other-methods.ts";
import { chaosChange } from "../events/chaos.ts";
import type { Cause } from "../events/stripe-event.ts";
import { decideDispute, disputeReasons, openDispute } from "../payments/dispute.ts";
import { createFraudWarning } from "../payments/early-fraud-warning.ts";
import { createRefund, finishRefund } from "../payments/refund.ts";
import { causeOf, change, type StripeContext } from "../stripe-context.ts";
import { chargePage, eventPage, loadPayment, paymentView, pendingSessions } from "./panel-views.ts";
import { eventsBody, panelBody, paymentsBody, problemBody } from "./panel-html.ts";
import { paymentBody } from "./payment-html.ts";
import { noSuch, StripeApiError } from "../api/stripe-error.ts";
import { findObject } from "../store/object.store.ts";
import type { Tx } from "../../database.ts";
import { queueDelivery } from "../events/delivery.store.ts";

type Route = { Params: { id: string } };
const BASE = "/sandbox/stripe";
const pageQuery = z.object({ after: z.string().max(100).optional() }).catch({});

/** `amount` is in the currency's smallest unit; a form sends `dollars` instead. */
const refundBody = z.strictObject({
  amount: z.number().int().min(1).optional(),
  dollars: z
    .string()
    .trim()
    .regex(/^\d{1,6}(\.\d{1,2})?$/, "must be an amount like 5 or 5.50")
    .transform((text) => Math.round(Number(text) * 100))
    .optional(),
});
const disputeBody = z.strictObject({ reason: z.enum(disputeReasons).default("fraudulent"), inquiry: z.boolean().default(false) });
const emptyBody = z.strictObject({});

interface Action<Body> {
  tx: PoolClient;
  cause: Cause;
  id: string;
  body: Body;
}

/** The control panel: pages with forms, and the same actions as JSON. A form redirects to its page; JSON gets the changed object. */
export async function controlPanel(app: FastifyInstance, context: StripeContext): Promise<void> {
  acceptForms(app);
  handleErrors(app, context);
  pages(app, context);
  faults(app, context);
  const act = <Schema extends z.ZodType>(
    path: string,
    schema: Schema,
    run: (action: Action<z.output<Schema>>) => Promise<unknown>,
  ) =>
    app.post<Route>(`${BASE}${path}`, { config: { access: "development" } }, async (request, reply) => {
      const body = readBody(schema, request);
      const cause = causeOf(context);
      const made = await change(context, (tx) => run({ tx, cause, id: request.params.id, body }));
      return answer(request, reply, made);
    });

  act("/payments/:id/refund", refundBody, async ({ tx, cause, id, body }) => {
    const charge = await loadPayment(tx, id);
    const amount = body.amount ?? body.dollars;
    return createRefund(tx, cause, { charge: charge.id, ...(amount !== undefined && { amount: String(amount) }) });
  });
  act("/payments/:id/dispute", disputeBody, async ({ tx, cause, id, body }) =>
    openDispute(tx, cause, await loadPayment(tx, id), body),
  );
  act("/payments/:id/early-fraud-warning", emptyBody, async ({ tx, cause, id }) =>
    createFraudWarning(tx, cause, await loadPayment(tx, id), "made_with_stolen_card"),
  );
  act("/disputes/:id/win", emptyBody, ({ tx, cause, id }) => decideDispute(tx, cause, id, "won"));
  act("/disputes/:id/lose", emptyBody, ({ tx, cause, id }) => decideDispute(tx, cause, id, "lost"));
  act("/refunds/:id/succeed", emptyBody, ({ tx, cause, id }) => finishRefund(tx, cause, id, "succeeded"));
  act("/refunds/:id/fail", emptyBody, ({ tx, cause, id }) => finishRefund(tx, cause, id, "failed"));
  for (const outcome of ["succeed", "fail"])
    act(`/sessions/:id/${outcome}`, emptyBody, ({ tx, cause, id }) =>
      settleDelayedPayment(tx, cause, { sessionId: id, succeeds: outcome === "succeed", publicUrl: context.publicUrl() }),
    );
  act("/events/:id/resend", emptyBody, ({ tx, cause, id }) => retryEvent(tx, cause, id));
}

function pages(app: FastifyInstance, context: StripeContext): void {
  const send = (reply: FastifyReply, title: string, body: Html) =>
    sendPage(reply, layout({ title, body, appUrl: context.appUrl }));
  const after = (request: FastifyRequest) => pageQuery.parse(request.query).after;

  app.get(BASE, { config: { access: "development" } }, async (_request, reply) => {
    const [charges, events] = [await chargePage(context.pool, undefined), await eventPage(context.pool, undefined)];
    return send(
      reply,
      "Stripe",
      panelBody({ chaos: context.chaos.current, pending: await pendingSessions(context.pool), charges, events }),
    );
  });
  app.get(`${BASE}/payments`, { config: { access: "development" } }, async (request, reply) =>
    send(reply, "Payments", paymentsBody(await chargePage(context.pool, after(request)))),
  );
  app.get<Route>(`${BASE}/payments/:id`, { config: { access: "development" } }, async (request, reply) => {
    const view = await change(context, (tx) => paymentView(tx, request.params.id));
    return send(reply, "Payment", paymentBody(view));
  });
  app.get(`${BASE}/events`, { config: { access: "development" } }, async (request, reply) =>
    send(reply, "Events", eventsBody(await eventPage(context.pool, after(request)))),
  );
}

function faults(app: FastifyInstance, context: StripeContext): void {
  app.get(`${BASE}/chaos`, { config: { access: "development" } }, async () => context.chaos.current);
  app.post(`${BASE}/chaos`, { config: { access: "development" } }, async (request, reply) =>
    answer(request, reply, await context.chaos.set(readBody(chaosChange, request))),
  );
  app.delete(`${BASE}/chaos`, { config: { access: "development" } }, async () => context.chaos.reset());
  app.post(`${BASE}/chaos/reset`, { config: { access: "development" } }, async (request, reply) =>
    answer(request, reply, await context.chaos.reset()),
  );
}

/** Renders errors as a page for forms and as `{message}` for JSON; rejects requests from other sites. */
function handleErrors(app: FastifyInstance, context: StripeContext): void {
  app.setErrorHandler((error, request, reply) => {
    const { status: ours, statusCode, message } = error as { status?: number; statusCode?: number; message: string };
    const status = error instanceof z.ZodError ? 422 : (ours ?? statusCode ?? 500);
    const text = error instanceof z.ZodError ? sentenceOf(error) : message;
    if (status >= 500) context.log.error({ err: error, path: request.routeOptions.url }, "control panel failed");
    const shown = status >= 500 ? "Something went wrong. Try again in a moment." : text;
    if (request.method !== "GET" && !isForm(request)) return reply.status(status).send({ message: shown });
    return sendPage(reply, layout({ title: "Stripe", body: problemBody(shown), appUrl: context.appUrl }), { status });
  });
  app.addHook("preHandler", async (request) => {
    if (request.method !== "GET" && isCrossSite(request))
      throw Object.assign(new Error("Use the control panel itself."), { status: 403 });
  });
}

function isForm(request: FastifyRequest): boolean {
  return /^application\/x-www-form-urlencoded/i.test(request.headers["content-type"] ?? "");
}

/** Validates JSON or a form; in a form, numbers are text and empty fields are absent. @throws ZodError */
function readBody<Schema extends z.ZodType>(schema: Schema, request: FastifyRequest): z.output<Schema> {
  if (typeof request.body !== "string") return schema.parse(request.body ?? {});
  const fields = Object.entries(decodeForm(request.body)).filter(([, value]) => value !== "");
  const typed = fields.map(([name, value]) => [name, name !== "dollars" && isInteger(value) ? Number(value) : value]);
  return schema.parse(Object.fromEntries(typed));
}

function isInteger(value: unknown): boolean {
  return typeof value === "string" && /^-?\d{1,9}$/.test(value);
}

function sentenceOf(error: z.ZodError): string {
  const issue = error.issues[0];
  return `${issue?.path.join(".") || "The request"}: ${issue?.message ?? "not valid"}`;
}

/** Redirects a form to the page it was on; sends JSON otherwise. */
function answer(request: FastifyRequest, reply: FastifyReply, made: unknown): unknown {
  if (!isForm(request)) return made;
  const from = request.headers.referer;
  const path = from !== undefined && URL.canParse(from) ? new URL(from).pathname : BASE;
  return reply.redirect(path.startsWith(BASE) ? path : BASE, 303);
}

/** Delivers an event again, unaffected by faults. @throws StripeApiError */
async function retryEvent(tx: Tx, cause: Cause, id: string): Promise<Stripe.EventBase> {
  const found = await findObject<Stripe.EventBase>(tx, "event", id, true);
  if (!found) throw noSuch("event", id);
  if (!cause.delivers) throw new StripeApiError(400, "There is no webhook endpoint.");
  await queueDelivery(tx, id, new Date(cause.nowMs));
  return found.data;
}
