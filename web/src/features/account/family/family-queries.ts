import type { FamilyChoices, FamilyResponse } from "@farline/contract/family/family.ts";
import { queryOptions } from "@tanstack/react-query";
import { request } from "../../../service/http.ts";
import { queryKeys } from "../../../service/queries.ts";
import { queryClient, showAnswer } from "../../../service/query-client.ts";
import { i18n } from "../../../text/i18n.ts";

/** `GET /api/family`. It changes with the balance, so the same hint refreshes both. */
export const familyQuery = queryOptions({
  queryKey: [...queryKeys.balance, "family"],
  queryFn: ({ signal }) => request("GET /api/family", { signal }),
  meta: { failure: () => i18n.t("account:family.loadFailure") },
});

/** Shows a change's answer, and which credit pays now. */
async function show(answer: FamilyResponse): Promise<void> {
  await showAnswer(familyQuery.queryKey, answer);
  await queryClient.invalidateQueries({ queryKey: queryKeys.balance, exact: true });
}

/** A member's limits as typed. */
export interface TypedLimits {
  readonly daily_cap: string | null;
  readonly monthly_cap: string | null;
  readonly countries: string[] | null;
  readonly time_zone: string;
}

export const invitePerson = async (email: string | null, limits: TypedLimits): Promise<void> =>
  show(await request("POST /api/family/invitations", { body: { email, limits } }));

export const withdrawInvitation = async (id: string): Promise<void> =>
  show(await request("DELETE /api/family/invitations/:id", { params: { id } }));

export const saveLimits = async (id: string, limits: TypedLimits): Promise<void> =>
  show(await request("PUT /api/family/members/:id/limits", { params: { id }, body: limits }));

export const removeMember = async (id: string): Promise<void> =>
  show(await request("DELETE /api/family/members/:id", { params: { id } }));

export const chooseCredit = async (choices: FamilyChoices): Promise<void> =>
  show(await request("PATCH /api/family/choices", { body: choices }));

/** A member leaves; the owner ends the family. */
export const leaveFamily = async (): Promise<void> => show(await request("DELETE /api/family"));

export const acceptInvitation = async (token: string, choices: FamilyChoices): Promise<void> =>
  show(await request("POST /api/family/accept", { body: { token, ...choices } }));
