import { randomBytes } from "node:crypto";
import type { ExchangeConfig } from "../src/config.ts";
import { freePort } from "./free-port.ts";
import { testExchange, type TestExchange } from "./test-exchange.ts";

/** The settings that nodes share: their keys and the list of nodes. */
export async function nodesConfig(names: readonly string[]): Promise<Pick<ExchangeConfig, "tokenKeys" | "nodes">> {
  const ports = await Promise.all(names.map(() => freePort()));
  const nodes = new Map(names.map((name, index) => [name, new URL(`http://127.0.0.1:${ports[index]}`)]));
  return { tokenKeys: [randomBytes(32)], nodes };
}

/** Several exchanges in this process with scripted media and networks. Starting a node again replaces it. */
export class TestNodes {
  readonly config: Awaited<ReturnType<typeof nodesConfig>>;
  readonly #given: Partial<ExchangeConfig>;
  readonly #running = new Map<string, TestExchange>();

  static async start(names: readonly string[], given: Partial<ExchangeConfig> = {}): Promise<TestNodes> {
    const nodes = new TestNodes(await nodesConfig(names), given);
    for (const name of names) await nodes.startNode(name);
    return nodes;
  }

  private constructor(config: Awaited<ReturnType<typeof nodesConfig>>, given: Partial<ExchangeConfig>) {
    this.config = config;
    this.#given = given;
  }

  async startNode(name: string): Promise<void> {
    const controlPort = Number(this.config.nodes.get(name)?.port);
    const { journal: shared = null, ...given } = this.#given;
    const journal = shared === null ? null : `${shared}.${name}`;
    this.#running.set(name, await testExchange({ config: { ...given, ...this.config, node: name, controlPort, journal } }));
  }

  async stopNode(name: string): Promise<void> {
    await this.#running.get(name)?.close();
    this.#running.delete(name);
  }

  at(name: string): TestExchange {
    const exchange = this.#running.get(name);
    if (exchange === undefined) throw new Error(`The node ${name} is not running.`);
    return exchange;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#running.keys()].map((name) => this.stopNode(name)));
  }
}
