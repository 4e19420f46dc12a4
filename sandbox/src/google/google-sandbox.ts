import type { IncomingMessage } from "node:http";
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { Provider } from "oidc-provider";
import type { Logger } from "pino";
import { createProvider } from "./create-provider.ts";
import { signInPage } from "./sign-in-page.ts";
import { TestPeople } from "./test-people.ts";

const MOUNT = "/google";
/** The app's redirect URIs: one for signing in, one for linking Google to an account. */
const RETURN_PATHS = ["/auth/google/callback", "/account/google/callback"];

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
