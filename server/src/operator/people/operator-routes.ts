import { rightsOf } from "@farline/contract/operator/rights.ts";
import type { OperatorSessionResponse } from "@farline/contract/operator/session.ts";
import type { ServiceContext } from "../../context.ts";
import { serve } from "../../platform/http/endpoint.ts";
import type { App } from "../../platform/http/http.ts";
import { hashToken } from "../../platform/secret-token.ts";
import { consoleToken, operatorSessionOf, setConsoleToken } from "./operator-guard.ts";
import { deleteOperatorSession, type OperatorSession } from "./operator-session.store.ts";

/** `/api/operator/…`: an operator's own session. */
export function operatorRoutes(app: App, ctx: ServiceContext): void {
  serve(app, "GET /api/operator/session", async (request) => sessionResponse(operatorSessionOf(request)));

  serve(app, "POST /api/operator/sign-out", async (request, reply) => {
    const token = consoleToken(request);
    if (token !== null) await deleteOperatorSession(ctx.handle.db, hashToken(token));
    setConsoleToken(reply, null);
  });
}

function sessionResponse({ operator, expiresAt }: OperatorSession): OperatorSessionResponse {
  return { operator, rights: rightsOf(operator.role), expires_at: expiresAt.toISOString() };
}
