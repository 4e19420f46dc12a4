import { PATIENCE } from "@farline/domain/test/patience.ts";
import { sql } from "kysely";
import pino from "pino";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createLog } from "../log.ts";
import { JobRunner, type Job } from "./jobs.ts";
import { testDatabase, type TestDatabase } from "../../../test/test-database.ts";

const log = pino({ level: "silent" });
const POOL_SIZE = 3;

let database: TestDatabase;
let runners: JobRunner[];
beforeEach(async () => {
  database = await testDatabase({ poolSize: POOL_SIZE });
  runners = [];
});
afterEach(async () => {
  await Promise.all(runners.map((runner) => runner.stop(0)));
  await database.close();
});

/** One service's job runner. */
function runner(itsLog = log): JobRunner {
  const made = new JobRunner(database.url, itsLog);
  runners.push(made);
  return made;
}

/** A job that waits until released, as if for a provider. */
function waitingJob(name = "waits") {
  const gate = Promise.withResolvers<void>();
  const runs = { begun: 0 };
  const job: Job = {
    name,
    everyMs: 1,
    run: () => {
      runs.begun += 1;
      return gate.promise;
    },
  };
  return { job, runs, letGo: () => gate.resolve() };
}

const begun = async (work: { runs: { begun: number } }, times: number) => await expect.poll(() => work.runs.begun).toBe(times);

async function lockSessions(): Promise<number[]> {
  const { rows } =
    await sql<any>`select pid from pg_stat_activity where application_name = 'farline-jobs' and datname = current_database()`.execute(
      database.handle.db,
    );
  return rows.map(({ pid }) => pid);
}

test("a job whose work is shared runs in each service, and once at a time in each", async () => {
  const { job, runs, letGo } = waitingJob();
  const shared = { ...job, shared: true };
  const [one, other] = [runner(), runner()];
  const all = [one.runOnce(shared), other.runOnce(shared), one.runOnce(shared)];
  await begun({ runs }, 2);
  letGo();
  await Promise.all(all);
  expect(runs.begun).toBe(2);
});

test("jobs waiting for a provider take no pool connections and share one connection for their locks", async () => {
  const one = runner();
  const works = Array.from({ length: 4 * POOL_SIZE }, (_, index) => waitingJob(`waits-${index}`));
  const runs = works.map(({ job }) => one.runOnce(job));
  await Promise.all(works.map((work) => begun(work, 1)));
  const clients = await Promise.all(Array.from({ length: POOL_SIZE }, () => database.handle.pool.connect()));
  for (const client of clients) client.release();
  expect(await lockSessions()).toHaveLength(1);
  for (const { letGo } of works) letGo();
  await Promise.all(runs);
});

test("two services never run a job at the same time, and the other may run it afterwards", async () => {
  const [one, other] = [runner(), runner()];
  const work = waitingJob();
  const run = one.runOnce(work.job);
  await begun(work, 1);
  await other.runOnce(work.job);
  expect(work.runs.begun).toBe(1);
  work.letGo();
  await run;
  await other.runOnce(work.job);
  expect(work.runs.begun).toBe(2);
});

test("a service does not start a job that it is already running", async () => {
  const one = runner();
  const work = waitingJob();
  const run = one.runOnce(work.job);
  await begun(work, 1);
  await one.runOnce(work.job);
  expect(work.runs.begun).toBe(1);
  work.letGo();
  await run;
});

test("a failed job releases its lock", async () => {
  const [one, other] = [runner(), runner()];
  const fails: Job = { name: "waits", everyMs: 1, run: () => Promise.reject(new Error("no provider")) };
  await expect(one.runOnce(fails)).rejects.toThrow("no provider");
  const work = waitingJob();
  work.letGo();
  await other.runOnce(work.job);
  expect(work.runs.begun).toBe(1);
});

test("a lost connection releases the locks to other services, and the next job opens a new one", async () => {
  const [one, other] = [runner(), runner()];
  const work = waitingJob();
  const run = one.runOnce(work.job);
  await begun(work, 1);
  const [pid] = await lockSessions();
  await sql`select pg_terminate_backend(${pid})`.execute(database.handle.db);
  await expect.poll(lockSessions).toEqual([]);
  const taken = other.runOnce(work.job);
  await begun(work, 2);
  // The service still running it does not start it again, and runs other jobs over a new connection.
  await one.runOnce(work.job);
  expect(work.runs.begun).toBe(2);
  const next = waitingJob("next");
  next.letGo();
  await vi.waitFor(() => one.runOnce(next.job), PATIENCE);
  expect(next.runs.begun).toBe(1);
  work.letGo();
  await Promise.all([run, taken]);
});

test("stopping a service waits for its jobs, but not for one that hangs, and leaves no connection", async () => {
  const [one, other] = [runner(), runner()];
  const [done, hangs] = [waitingJob("done"), waitingJob("hangs")];
  one.start([done.job]);
  await begun(done, 1);
  const stopped = one.stop(60_000);
  done.letGo();
  await stopped;
  expect(done.runs.begun).toBe(1);
  other.start([hangs.job]);
  await begun(hangs, 1);
  await other.stop(0);
  await expect.poll(lockSessions).toEqual([]);
  await other.runOnce(hangs.job);
  expect(hangs.runs.begun).toBe(1);
  hangs.letGo();
});

test("each run of a job has an id, which all its log lines carry", async () => {
  const lines: Record<string, unknown>[] = [];
  const deep = createLog("trace", "service", { write: (line: string) => void lines.push(JSON.parse(line)) });
  const job: Job = {
    name: "deep",
    everyMs: 1,
    async run() {
      await sql`select 1`.execute(database.handle.db);
      deep.info("a verb");
      throw new Error("not today");
    },
  };
  runner(deep).start([job]);
  await expect.poll(() => lines.filter(({ msg }) => msg === "job failed").length).toBeGreaterThan(1);
  const runs = Map.groupBy(lines.slice(0, 4), (line) => line["job_id"]);
  expect(runs.size).toBe(2);
  for (const run of runs.values())
    expect(run.map(({ job: name, msg }) => `${String(name)}: ${String(msg)}`)).toEqual(["deep: a verb", "deep: job failed"]);
});

test("while intake is closed, only jobs run that say so; the others run once it is open", async () => {
  const intake = { closed: true };
  const made = new JobRunner(database.url, log, intake);
  runners.push(made);
  const runs = { orders: 0, ends: 0 };
  made.start([
    { name: "orders", everyMs: 1, run: async () => void (runs.orders += 1) },
    { name: "ends", everyMs: 1, runsWhileClosed: true, run: async () => void (runs.ends += 1) },
  ]);
  await expect.poll(() => runs.ends).toBeGreaterThan(2);
  expect(runs.orders).toBe(0);
  intake.closed = false;
  await expect.poll(() => runs.orders).toBeGreaterThan(0);
});

test("a job is late while it fails or hangs, but not while intake is closed to it", async () => {
  const intake = { closed: true };
  const clock = { ms: 0 };
  const made = new JobRunner(database.url, log, intake, () => clock.ms);
  runners.push(made);
  const hangs = waitingJob("hangs");
  const fails = { yes: true };
  const refuse = async () => {
    if (fails.yes) throw new Error("no provider");
  };
  made.start([
    { ...hangs.job, runsWhileClosed: true },
    {
      name: "long",
      everyMs: 1,
      longestRunMs: 90_000,
      runsWhileClosed: true,
      run: () => hangs.job.run(new AbortController().signal),
    },
    { name: "fails", everyMs: 1, runsWhileClosed: true, run: refuse },
    { name: "waits for intake", everyMs: 1, run: refuse },
  ]);
  await begun(hangs, 2);
  clock.ms = 60_001;
  const late = async (waits: number, rest: object) =>
    await expect.poll(() => Object.fromEntries(made.lateSeconds())).toEqual({ "waits for intake": waits, ...rest });
  await late(0, { hangs: 60, long: 0, fails: 60 });
  intake.closed = false;
  clock.ms = 120_002;
  await late(60, { hangs: 120, long: 30, fails: 120 });
  fails.yes = false;
  await late(0, { hangs: 120, long: 30, fails: 0 });
  hangs.letGo();
  await late(0, { hangs: 0, long: 0, fails: 0 });
});
