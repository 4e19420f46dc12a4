import { liftBreaker, readBreakers, type Breaker } from "@farline/server/risk/risk.ts";
import { formatDollars } from "@farline/domain/money.ts";
import type { Command } from "commander";
import { reasoned, run, print, show, type Reasoned } from "./commands.ts";
import { asOperator, withContext } from "./open-context.ts";

export function addBreakerCommands(program: Command): void {
  const breakers = program.command("breakers").description("circuit breakers on costly calls");
  breakers
    .command("list", { isDefault: true })
    .description("breakers in force, lifted ones, and today's notes")
    .action(run(list));
  reasoned(breakers.command("lift <id>").description("allow these calls again")).action(
    run(async (id: string, { reason }: Reasoned) => {
      const lifted = await asOperator(process.env, "release", (ctx) => liftBreaker(ctx, { id, reason }));
      print(
        lifted.kind === "carrier_spend"
          ? "Calls are allowed again. Today's limit is raised by the daily amount."
          : `Calls to ${lifted.subject} are allowed again. There is no new pause before ${lifted.until.toISOString()}.`,
      );
    }),
  );
}

async function list(): Promise<void> {
  const { spentMicros, breakers } = await withContext(process.env, (ctx) => readBreakers(ctx));
  show({ spent_micros: spentMicros, breakers }, [
    `Carriers have taken $${formatDollars(spentMicros)} since midnight UTC.`,
    ...(breakers.length === 0 ? ["No breaker is in force."] : breakers.map(lineOf)),
  ]);
}

function lineOf({ id, kind, subject, inputs, until, lifted_at: liftedAt }: Breaker): string {
  const what = {
    carrier_spend: "all but trusted customers' ordinary calls are stopped",
    spend_note: `${subject} % of the day's limit is used`,
    prefix: `calls to +${subject} are paused`,
    country: `calls to ${subject} are paused`,
  };
  const amounts = Object.entries(inputs).map(
    ([name, micros]) => `${name.replace("_micros", "")} $${formatDollars(BigInt(micros))}`,
  );
  const state = liftedAt === null ? `until ${until.toISOString()}` : `lifted ${liftedAt.toISOString()}`;
  return `${id}  ${what[kind]} (${amounts.join(", ")}), ${state}`;
}
