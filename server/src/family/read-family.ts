import type { FamilyLimits, FamilyMember, FamilyResponse } from "@farline/contract/family/family.ts";
import { mailLinkPaths } from "@farline/contract/constants.ts";
import { MAX_FAMILY } from "@farline/domain/calls/family-limits.ts";
import { type Micros, smallerOf, toDecimalString } from "@farline/domain/money.ts";
import { linkUses } from "../mail/mail.ts";
import { linkToken } from "../platform/settings/secret-keys.ts";
import type { Context, ServiceContext } from "../context.ts";
import { listInvitations, readPeople, type Limits, type Person } from "./family.store.ts";

/** The customer's family as they may see it: its owner sees all of it, a member only themselves. */
export async function readFamily(ctx: ServiceContext, customerId: string): Promise<FamilyResponse> {
  const now = ctx.clock.now();
  const people = await readPeople(ctx.handle.db, customerId, now);
  const [first] = people;
  if (first === undefined) return { family: null, max_people: MAX_FAMILY };
  const isOwner = first.customer_id === first.owner_id;
  const invitations = isOwner ? await listInvitations(ctx.handle.db, customerId, now) : [];
  return {
    family: {
      is_owner: isOwner,
      owner_name: first.owner_name,
      members: people.filter((person) => person.customer_id !== person.owner_id).map(presentMember),
      invitations: invitations.map((invitation) => ({
        id: invitation.id,
        email: invitation.email,
        link: linkTo(ctx, invitation.id),
        limits: presentLimits(invitation),
        expires_at: invitation.expires_at.toISOString(),
      })),
    },
    max_people: MAX_FAMILY,
  };
}

/** Who pays for a member's calls, and what the next one may cost; null if the customer's own credit pays. */
export async function readAllowance(
  { handle, clock }: Context,
  customer: { readonly id: string; readonly payerId: string | null },
): Promise<{ ownerName: string; leftMicros: Micros } | null> {
  if (customer.payerId === null) return null;
  const [member] = await readPeople(handle.db, customer.id, clock.now());
  return member === undefined ? null : { ownerName: member.owner_name, leftMicros: leftOf(member) };
}

/** An invitation's address. Its token is in the fragment, which no log contains. */
function linkTo({ config }: ServiceContext, id: string): string {
  return `${config.publicUrl}${mailLinkPaths.family}#t=${linkToken(config.secretKeys, linkUses.family, id)}`;
}

function presentMember(person: Person): FamilyMember {
  return {
    id: person.customer_id,
    name: person.name,
    joined_at: person.joined_at.toISOString(),
    owner_pays: person.owner_pays,
    shows_numbers: person.shows_numbers,
    limits: presentLimits(person),
    spent_today: toDecimalString(person.today_micros),
    spent_this_month: toDecimalString(person.month_micros),
    left: toDecimalString(leftOf(person)),
  };
}

export function presentLimits(limits: Limits): FamilyLimits {
  const dollars = (micros: bigint | null) => (micros === null ? null : toDecimalString(micros));
  return {
    daily_cap: dollars(limits.daily_cap_micros),
    monthly_cap: dollars(limits.monthly_cap_micros),
    countries: limits.countries,
    time_zone: limits.time_zone,
  };
}

function leftOf(person: Person): Micros {
  const { daily_cap_micros: daily, monthly_cap_micros: monthly, today_micros: today, month_micros: month } = person;
  if (!person.owner_is_active) return 0n;
  const rests = [...(daily === null ? [] : [daily - today]), ...(monthly === null ? [] : [monthly - month])];
  const left = rests.reduce(smallerOf, person.available_micros);
  return left > 0n ? left : 0n;
}
