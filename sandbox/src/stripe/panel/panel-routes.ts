import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { PoolClient } from "pg";
import { z } from "zod";
import { layout, sendPage } from "../../pages/layout.ts";
import type { Html } from "../../pages/html.ts";
import { decodeForm } from "../api/form-body.ts";
import { decideLaterPayment } from "../checkout/other-ways.ts";
import { chaosChange } from "../events/chaos.ts";
import type { Cause } from "../events/stripe-event.ts";
import { retryEvent } from "../events/retry-event.ts";
import { decideDispute, disputeReasons, openDispute } from "../payments/dispute.ts";
import { warnOfFraud } from "../payments/early-fraud-warning.ts";
import { createRefund, finishRefund } from "../payments/refund.ts";
import { causeOf, change, type StripeContext } from "../stripe-context.ts";
import { findPayment } from "./find-payment.ts";
import { eventsBody, panelBody, paymentsBody, problemBody } from "./panel-html.ts";
import { chargePage, eventPage, paymentView, waitingSessions } from "./panel-views.ts";
import { paymentBody } from "./payment-html.ts";

type Route = { Params: { id: string } };
const BASE = "/sandbox/stripe";
const pageQuery = z.object({ after: z.string().max(100).optional() }).catch({});

/** Amounts in the currency's smallest unit; a form may say `dollars` instead. */
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
const nothing = z.strictObject({});

/** What an action works on. */
interface Action<Body> {
  tx: PoolClient;
  cause: Cause;
  id: string;
  body: Body;
}

/**
 * The control panel: pages for people, and the same actions as JSON for tests. A form is answered by leading back to its page,
 * JSON by the object that came of it; errors are `{message}`.
 */
export async function controlPanel(app: FastifyInstance, context: StripeContext): Promise<void> {
  takeForms(app, context);
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
    const charge = await findPayment(tx, id);
    const amount = body.amount ?? body.dollars;
    return createRefund(tx, cause, { charge: charge.id, ...(amount !== undefined && { amount: String(amount) }) });
  });
  act("/payments/:id/dispute", disputeBody, async ({ tx, cause, id, body }) =>
    openDispute(tx, cause, await findPayment(tx, id), body),
  );
  act("/payments/:id/early-fraud-warning", nothing, async ({ tx, cause, id }) =>
    warnOfFraud(tx, cause, await findPayment(tx, id), "made_with_stolen_card"),
  );
  act("/disputes/:id/win", nothing, ({ tx, cause, id }) => decideDispute(tx, cause, id, "won"));
  act("/disputes/:id/lose", nothing, ({ tx, cause, id }) => decideDispute(tx, cause, id, "lost"));
  act("/refunds/:id/succeed", nothing, ({ tx, cause, id }) => finishRefund(tx, cause, id, "succeeded"));
  act("/refunds/:id/fail", nothing, ({ tx, cause, id }) => finishRefund(tx, cause, id, "failed"));
  for (const [path, arrives] of [
    ["arrive", true],
    ["fail", false],
  ] as const)
    act(`/sessions/:id/${path}`, nothing, ({ tx, cause, id }) =>
      decideLaterPayment(tx, cause, { sessionId: id, arrives, publicUrl: context.publicUrl() }),
    );
  act("/events/:id/resend", nothing, ({ tx, cause, id }) => retryEvent(tx, cause, id));
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
      panelBody({ chaos: context.chaos.current, waiting: await waitingSessions(context.pool), charges, events }),
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
  app.delete(`${BASE}/chaos`, { config: { access: "development" } }, async () => context.chaos.calm());
  app.post(`${BASE}/chaos/calm`, { config: { access: "development" } }, async (request, reply) =>
    answer(request, reply, await context.chaos.calm()),
  );
}

/** Makes the server take forms beside JSON, and say what went wrong to either. */
function takeForms(app: FastifyInstance, context: StripeContext): void {
  app.addContentTypeParser("application/x-www-form-urlencoded", { parseAs: "string" }, (_request, body, done) =>
    done(null, body),
  );
  app.setErrorHandler((error, request, reply) => {
    const { status: ours, statusCode, message } = error as { status?: number; statusCode?: number; message: string };
    const status = error instanceof z.ZodError ? 422 : (ours ?? statusCode ?? 500);
    const text = error instanceof z.ZodError ? sentenceOf(error) : message;
    if (status >= 500) context.log.error({ err: error, path: request.routeOptions.url }, "control panel failed");
    const said = status >= 500 ? "Something went wrong. Try again in a moment." : text;
    if (request.method !== "GET" && !isForm(request)) return reply.status(status).send({ message: said });
    return sendPage(reply, layout({ title: "Stripe", body: problemBody(said), appUrl: context.appUrl }), { status });
  });
  app.addHook("preHandler", async (request) => {
    if (request.method !== "GET" && request.headers["sec-fetch-site"] === "cross-site")
      throw Object.assign(new Error("Use the panel itself."), { status: 403 });
  });
}

function isForm(request: FastifyRequest): boolean {
  return /^application\/x-www-form-urlencoded/i.test(request.headers["content-type"] ?? "");
}

/** Checks what came as JSON or as a form, whose numbers are text and whose empty fields mean nothing. @throws ZodError */
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

/** A form leads back to the page it stands on. */
function answer(request: FastifyRequest, reply: FastifyReply, made: unknown): unknown {
  if (!isForm(request)) return made;
  const from = request.headers.referer;
  const path = from !== undefined && URL.canParse(from) ? new URL(from).pathname : BASE;
  return reply.redirect(path.startsWith(BASE) ? path : BASE, 303);
}
