import type { FamilyChoices, FamilyResponse } from "@farline/contract/family/family.ts";
import type { ErrorBody } from "@farline/contract/errors.ts";
import type { Customer } from "../../src/accounts/accounts.ts";
import type { CallWorld } from "./call-world.ts";

/** What a test may set for a member; no limits by default. */
export interface MemberLimits {
  readonly daily_cap?: string | null;
  readonly monthly_cap?: string | null;
  readonly countries?: string[] | null;
  readonly time_zone?: string;
}

const NO_LIMITS = { daily_cap: null, monthly_cap: null, countries: null, time_zone: "UTC" };
const CHOICES: FamilyChoices = { owner_pays: true, shows_numbers: false };

/** The requests of a family's people, in a world of calls. */
export function familyOf(world: CallWorld) {
  const request = (customer: Customer, method: string, path = "", body?: object) =>
    world.request<FamilyResponse & ErrorBody>(customer, {
      method,
      path: `/api/family${path}`,
      ...(body === undefined ? {} : { body }),
    });
  const family = {
    request,
    limits: (limits: MemberLimits = {}) => ({ ...NO_LIMITS, ...limits }),
    /** Invites by link. @returns the link's token */
    async invite(owner: Customer, limits: MemberLimits = {}): Promise<string> {
      const before = (await request(owner, "GET")).body.family?.invitations ?? [];
      const { status, body } = await request(owner, "POST", "/invitations", { email: null, limits: family.limits(limits) });
      if (status !== 201) throw new Error(`The invitation was refused: ${JSON.stringify(body)}`);
      const made = body.family?.invitations.find(({ id }) => !before.some((one) => one.id === id));
      return made?.link.split("#t=")[1] ?? "";
    },
    accept: (customer: Customer, token: string, choices: Partial<FamilyChoices> = {}) =>
      request(customer, "POST", "/accept", { token, ...CHOICES, ...choices }),
    choose: (member: Customer, choices: Partial<FamilyChoices>) =>
      request(member, "PATCH", "/choices", { ...CHOICES, ...choices }),
    /** Makes a customer a member. */
    async join(
      owner: Customer,
      member: Customer,
      limits: MemberLimits = {},
      choices: Partial<FamilyChoices> = {},
    ): Promise<void> {
      const { status, body } = await family.accept(member, await family.invite(owner, limits), choices);
      if (status !== 200) throw new Error(`The member could not join: ${JSON.stringify(body)}`);
    },
  };
  return family;
}
