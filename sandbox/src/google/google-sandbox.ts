import type { IncomingMessage } from "node:http";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { errors, type Provider } from "oidc-provider";
import type { Logger } from "pino";
import { z } from "zod";
import { createProvider } from "./create-provider.ts";
import { mailboxKinds, newPerson, personWithAddress, TestPeople, type TestPerson } from "./test-people.ts";
import { acceptOnlyForms, formText, isCrossSite } from "../pages/html.ts";
import { layout, sendPage } from "../pages/layout.ts";
import { goneBody, signInBody, type SignInForm } from "./sign-in-page-html.ts";

const MOUNT = "/google";

/** The app's redirect URIs: one for signing in, one for linking Google to an account. */
const RETURN_PATHS = ["/auth/google/callback", "/account/google/callback"];

type Route = { Params: { uid: string } };

type Choice = { kind: "person"; person: TestPerson } | { kind: "cancel" } | { kind: "invalid"; form: SignInForm };

const EMPTY: SignInForm = { email: "", mailbox: "google", error: null };

const emailField = z.email().max(254);

/** A real OpenID provider under `/google` that stands in for Google. Its issuer is `<public URL>/google`. */
export function googleSandbox(
  app: FastifyInstance,
  options: {
    clientId: string;
    clientSecret: string;
    /** Origin of the app. */
    appUrl: string;
    /** Origin of this sandbox for browser and service; known once it listens. */
    publicUrl: () => string;
    log: Logger;
  },
): void {
  const people = new TestPeople();
  const appUrl = options.appUrl.replace(/\/+$/, "");
  const pathOf = (uid: string) => `${MOUNT}/sign-in/${uid}`;
  const client = {
    clientId: options.clientId,
    clientSecret: options.clientSecret,
    redirectUris: RETURN_PATHS.map((path) => appUrl + path),
  };
  let made: Provider | null = null;
  const provider = () =>
    (made ??= createProvider({ issuer: options.publicUrl() + MOUNT, signInPath: pathOf, client, people, log: options.log }));

  app.register(async (scope) => signInPage(scope, { provider, people, pathOf, appUrl }));
  app.register(async (scope) => {
    // The provider parses bodies itself.
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser("*", (_request, _body, done) => done(null));
    scope.all(`${MOUNT}/*`, { config: { access: "development" } }, async (request, reply) => {
      reply.hijack();
      await provider().callback()(forProvider(request, options.publicUrl()), reply.raw);
    });
  });
}

/** Rewrites the request for the provider: without the mount path, and under the public origin. */
function forProvider(request: FastifyRequest, publicUrl: string): IncomingMessage {
  const raw = request.raw as IncomingMessage & { originalUrl?: string };
  const { host, protocol } = new URL(publicUrl);
  raw.headers.host = host;
  raw.headers["x-forwarded-proto"] = protocol.slice(0, -1);
  delete raw.headers["x-forwarded-host"];
  // oxlint-disable-next-line farline/no-raw-url -- the provider has its own router
  raw.originalUrl = raw.url;
  // oxlint-disable-next-line farline/no-raw-url -- as above
  raw.url = raw.url?.slice(MOUNT.length) || "/";
  return raw;
}

/** The page of a sign-in, and the handling of the choice made on it. */
async function signInPage(
  app: FastifyInstance,
  context: { provider: () => Provider; people: TestPeople; pathOf: (uid: string) => string; appUrl: string },
): Promise<void> {
  const { people, pathOf, appUrl } = context;
  acceptOnlyForms(app);

  const show = (reply: FastifyReply, uid: string, form: SignInForm, status = 200) => {
    const body = signInBody(pathOf(uid), newPerson(uid), form);
    const page = layout({ title: "Sign in with Google", body, appUrl: null });
    return sendPage(reply, page, { status, formTarget: new URL(appUrl).origin });
  };
  const gone = (reply: FastifyReply) =>
    sendPage(reply, layout({ title: "Sign in with Google", body: goneBody(appUrl), appUrl: null }), { status: 410 });
  /** Whether the browser's session belongs to this sign-in. */
  const isActiveSignIn = async (request: FastifyRequest<Route>, reply: FastifyReply): Promise<boolean> => {
    try {
      return (await context.provider().interactionDetails(request.raw, reply.raw)).uid === request.params.uid;
    } catch (error) {
      if (error instanceof errors.SessionNotFound) return false;
      throw error;
    }
  };

  app.get<Route>(pathOf(":uid"), { config: { access: "development" } }, async (request, reply) => {
    if (!(await isActiveSignIn(request, reply))) return gone(reply);
    return show(reply, request.params.uid, EMPTY);
  });

  app.post<Route>(pathOf(":uid"), { config: { access: "development" } }, async (request, reply) => {
    if (isCrossSite(request) || !(await isActiveSignIn(request, reply))) return gone(reply);
    const { uid } = request.params;
    const choice = readChoice(uid, new URLSearchParams(formText(request)));
    if (choice.kind === "invalid") return show(reply, uid, choice.form, 422);
    if (choice.kind === "person") people.add(choice.person);
    const result =
      choice.kind === "cancel"
        ? { error: "access_denied", error_description: "The sign-in was cancelled." }
        : { login: { accountId: choice.person.sub }, select_account: {} };
    return reply.redirect(await context.provider().interactionResult(request.raw, reply.raw, result), 303);
  });
}

function readChoice(uid: string, fields: URLSearchParams): Choice {
  const who = fields.get("person");
  if (who === "cancel") return { kind: "cancel" };
  if (who === "new") return { kind: "person", person: newPerson(uid) };
  const typed = fields.get("email")?.trim() ?? "";
  const mailbox = mailboxKinds.find((kind) => kind === fields.get("mailbox")) ?? "google";
  const email = emailField.safeParse(typed);
  if (email.success) return { kind: "person", person: personWithAddress(email.data, mailbox) };
  const error = typed === "" ? "Enter an email address." : "Enter an email address like name@example.com.";
  return { kind: "invalid", form: { email: typed.slice(0, 254), mailbox, error } };
}
