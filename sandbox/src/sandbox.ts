import { readFileSync } from "node:fs";
import { type DeclaredRoute, declaredRoutes } from "@farline/contract/api/route-access.ts";
import { findUnreadable } from "@farline/domain/text/readable-text.ts";
import Fastify, { type FastifyInstance, LogController } from "fastify";
import type { Logger } from "pino";
import type { Pool } from "pg";
import { z } from "zod";
import { createTables, openPool } from "./database.ts";
import { googleSandbox } from "./google/google-sandbox.ts";
import { homePage } from "./pages/home-page.ts";
import { type PhoneNetwork, startPhoneNetwork } from "./phone-network/phone-network.ts";
import { startStripeSandbox } from "./stripe/stripe-sandbox.ts";
import { type MailServer, startMailServer } from "./mailbox/mail-server.ts";
import { MAILBOX_TABLES, storeMail } from "./mailbox/mailbox.store.ts";
import { mailboxPages } from "./mailbox/mailbox-pages.ts";
import { carrierNumbers } from "./phone-network/carrier-numbers.ts";
import { testNumbers } from "./phone-network/test-numbers.ts";

const BODY_LIMIT_BYTES = 64 * 1024;

export interface SandboxOptions {
  log: Logger;
  /** Bind address of the pages and the Stripe API. */
  host?: string;
  /** 0 picks a free port. */
  port: number;
  /** IPv4 address of the phone network, used for SIP and announced for audio. */
  sipHost?: string;
  /** UDP; 0 picks a free port. */
  sipPort: number;
  /** TCP port of the mail server, on loopback only; without it there is no mailbox. 0 picks a free port. */
  smtpPort?: number;
  /** UDP port of the only trunk that may call; any may if omitted. */
  trunkPort?: number;
  /** How long an ordinary number rings. */
  ringMs?: number;
  /** PostgreSQL; the schemas `sandbox_stripe` and `sandbox_mailbox` are created in it. */
  databaseUrl: string;
  stripe: {
    secretKey: string;
    webhookSecrets: readonly string[];
    /** Null without a listener. */
    webhookUrl: string | null;
    retryDelaysMs?: readonly number[];
  };
  /** The OpenID provider's client; without it, or without `appUrl`, there is no provider. */
  google?: { clientId: string; clientSecret: string } | null;
  /** Origin that browsers use; the listen address by default. */
  publicUrl?: string;
  /** The app's origin, for links. */
  appUrl?: string | null;
  /** Unix milliseconds; replaced in tests. */
  now?: () => number;
}

export interface Sandbox {
  /** Origin of the pages and the Stripe API. */
  readonly url: string;
  readonly port: number;
  /** The routes of the running router. */
  readonly routes: readonly DeclaredRoute[];
  readonly network: PhoneNetwork;
  /** Null without a mailbox. */
  readonly smtpPort: number | null;
  close(): Promise<void>;
}

const query = z.strictObject({
  number: z
    .string()
    .regex(/^[+ ]?\d{3,18}$/)
    .transform((text) => `+${text.replace(/^[+ ]/, "")}`) // an unescaped + arrives as a space
    .optional(),
  limit: z.coerce.number().int().min(1).max(200).default(20),
});

/** Starts the stand-ins: the phone network on UDP, mail on TCP, and Stripe, Google, the mailbox and the home page on HTTP. */
export async function startSandbox(options: SandboxOptions): Promise<Sandbox> {
  const pool = openPool(options.databaseUrl, options.log);
  const app = Fastify({
    loggerInstance: options.log,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: BODY_LIMIT_BYTES,
    requestTimeout: 15_000,
    forceCloseConnections: true, // idle browser connections must not delay closing
  }) as unknown as FastifyInstance;
  const routes: DeclaredRoute[] = [];
  app.addHook("onRoute", (route) => void routes.push(...declaredRoutes(route)));
  app.addHook("preValidation", ({ params, query, body }, reply, done) => {
    if (findUnreadable([params, query, body]) === null) done();
    else void reply.status(400).send({ message: "This request cannot be read." });
  });
  let publicUrl = options.publicUrl?.replace(/\/+$/, "");
  const appUrl = options.appUrl ?? null;
  const now = options.now ?? Date.now;
  const stripe = await startStripeSandbox(app, {
    pool,
    log: options.log,
    now,
    secretKey: options.stripe.secretKey,
    webhook: {
      url: options.stripe.webhookUrl,
      secrets: options.stripe.webhookSecrets,
      retryDelaysMs: options.stripe.retryDelaysMs,
    },
    publicUrl: () => publicUrl ?? "",
    appUrl,
  });
  const network = await startPhoneNetwork({
    log: options.log,
    host: options.sipHost,
    sipPort: options.sipPort,
    trunkPort: options.trunkPort,
    ringMs: options.ringMs,
  });
  const google = appUrl === null ? null : (options.google ?? null);
  if (google !== null && appUrl !== null)
    googleSandbox(app, { ...google, appUrl, publicUrl: () => publicUrl ?? "", log: options.log });
  const mail =
    options.smtpPort === undefined
      ? null
      : await startMailbox(app, { pool, log: options.log, now, host: "127.0.0.1", port: options.smtpPort, appUrl });
  staticFiles(app);
  homePage(app, { network, appUrl, mailbox: mail !== null, google: google !== null });
  phoneNetworkRoutes(app, network);
  app.get("/health", { config: { access: "development" } }, async () => ({ status: "ok" }));
  const url = await app.listen({ host: options.host ?? "127.0.0.1", port: options.port });
  publicUrl ??= url;
  return {
    url,
    routes,
    port: Number(new URL(url).port),
    network,
    smtpPort: mail?.port ?? null,
    async close() {
      await Promise.all([app.close(), network.close(), stripe.close(), mail?.close()]);
      await pool.end();
    },
  };
}

const files = [
  {
    path: "/sandbox.css",
    type: "text/css; charset=utf-8",
    text: readFileSync(new URL("./pages/sandbox.css", import.meta.url), "utf8"),
  },
  {
    path: "/countdown.js",
    type: "text/javascript; charset=utf-8",
    text: readFileSync(new URL("./pages/countdown.js", import.meta.url), "utf8"),
  },
  { path: "/mark.svg", type: "image/svg+xml", text: readFileSync(new URL("./pages/mark.svg", import.meta.url), "utf8") },
];

/** The style sheet, the logo and the script of the sandbox's pages. */
function staticFiles(app: FastifyInstance): void {
  for (const { path, type, text } of files)
    app.get(path, { config: { access: "development" } }, (_request, reply) =>
      reply.headers({ "content-type": type, "cache-control": "max-age=300", "x-content-type-options": "nosniff" }).send(text),
    );
}

/** Starts the mail server and its pages. Mails survive a restart; only the newest are kept. */
export async function startMailbox(
  app: FastifyInstance,
  options: { pool: Pool; log: Logger; now: () => number; host: string; port: number; appUrl: string | null },
): Promise<MailServer> {
  const { pool, appUrl } = options;
  await createTables(pool, MAILBOX_TABLES);
  mailboxPages(app, { pool, appUrl });
  return startMailServer({ ...options, store: (mail) => storeMail(pool, mail) });
}

/** The phone network's calls and test numbers as JSON, and recordings of what called phones heard. */
function phoneNetworkRoutes(app: FastifyInstance, network: PhoneNetwork): void {
  app.get("/phone-network/calls", { config: { access: "development" } }, async (request, reply) => {
    const wanted = query.safeParse(request.query);
    if (!wanted.success) return reply.status(422).send({ message: "Use number (E.164) and limit (1 to 200)." });
    return { sipPort: network.sipPort, live: network.liveCalls, calls: network.calls(wanted.data) };
  });
  app.get<{ Params: { id: string } }>(
    "/phone-network/calls/:id/recording.wav",
    { config: { access: "development" } },
    async (request, reply) => {
      const recording = network.recording(request.params.id);
      if (recording === null) return reply.status(404).send({ message: "This call has no recording, or it has been deleted." });
      return reply.type("audio/wav").header("cache-control", "no-store").send(recording);
    },
  );
  app.get("/phone-network/numbers", { config: { access: "development" } }, async () => ({
    numbers: [...testNumbers, ...carrierNumbers].map(({ number, title, description }) => ({ number, title, description })),
  }));
}
