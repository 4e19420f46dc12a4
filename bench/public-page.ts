import { rank, round } from "@farline/drills/support/spread.ts";
import autocannon from "autocannon";
import { withProduct } from "./with-product.ts";

const REQUESTS = 1_000;
const CONNECTIONS = 20;
const WARM_UP_REQUESTS = 200;
const PAGE = "/rates/ghana";
const COMPRESSED = { "accept-encoding": "br, gzip", accept: "text/html" };

/**
 * A country page compared with a static file of the same server in the same run: latency in milliseconds of 1,000 requests
 * over 20 connections each.
 */
export async function publicPage(): Promise<Record<string, unknown>> {
  return withProduct(async ({ url }) => {
    const html = await (await fetch(url + PAGE)).text();
    const file = /<link rel="stylesheet" href="([^"]+)"/.exec(html)?.[1];
    if (file === undefined) throw new Error(`${PAGE} names no style sheet.`);
    const staticFile = await latency(url + file);
    const page = await latency(url + PAGE);
    return { countryPageMs: page, staticFileMs: staticFile, medianTimesStatic: round(page.median / staticFile.median) };
  });
}

async function latency(url: string): Promise<{ median: number; p99: number }> {
  await load(url, WARM_UP_REQUESTS);
  const times = await load(url, REQUESTS);
  return { median: rank(times, 0.5), p99: rank(times, 0.99) };
}

/** Milliseconds of each response: the tool's own percentiles are whole milliseconds. */
async function load(url: string, amount: number): Promise<readonly number[]> {
  const times: number[] = [];
  await new Promise<void>((resolve, reject) => {
    const run = autocannon({ url, amount, connections: CONNECTIONS, headers: COMPRESSED }, (error) =>
      error ? reject(error) : resolve(),
    );
    run.on("response", (_client, status, _bytes, tookMs) => {
      if (status === 200) times.push(tookMs);
    });
  });
  if (times.length !== amount) throw new Error(`${url}: ${amount - times.length} of ${amount} requests failed.`);
  return times;
}
