import { createHash } from "node:crypto";
import { exchangeOfControlId } from "@farline/domain/calls/call-state.ts";
import { type Announcements, announcementsBody } from "./announcements.ts";
import { NodeClient, type NodeRequest, type NodeResponse, NodeUnreachable, type OtherNode } from "./node-client.ts";
import { nodeOfVoiceSdkId } from "./node-ids.ts";

/** The node that owns a leg, browser or number: this one, another one, or one that no longer exists. */
export type Owner = "self" | OtherNode | null;

/** An exchange tells others that it is there. */
const ANNOUNCE_EVERY_MS = 10_000;
/** Exchanges told at a time, besides those of the list: news reaches two hundred within a minute. */
const TOLD_AT_ONCE = 3;
export const ANNOUNCEMENTS_PATH = "/v2/nodes";

/**
 * The exchanges behind one name. They share their keys, and find each other by a list that the operator writes and by announcements
 * (docs/decisions/038-exchange-nodes.md).
 */
export class Nodes {
  readonly name: string;
  readonly client: NodeClient;
  readonly announcements: Announcements | null;
  readonly #listed: readonly OtherNode[];
  #timer: NodeJS.Timeout | undefined;

  /**
   * @param all the nodes of the list by name, including this one; may be empty for a single node
   * @param announcements null if only the list counts
   */
  constructor(name: string, all: ReadonlyMap<string, URL>, apiKey: string, announcements: Announcements | null = null) {
    this.name = name;
    this.#listed = [...all].filter(([one]) => one !== name).map(([one, url]) => ({ name: one, url }));
    this.client = new NodeClient(apiKey);
    this.announcements = announcements;
  }

  /** All except this one. What the operator lists outranks an announcement. */
  get others(): readonly OtherNode[] {
    const listed = new Set(this.#listed.map(({ name }) => name));
    return [...this.#listed, ...(this.announcements?.others ?? []).filter(({ name }) => !listed.has(name))];
  }

  /** Whether an exchange with an unknown name may be there. */
  get mayHaveOthers(): boolean {
    return this.announcements?.isOpen === true;
  }

  /** Announces this node to the listed ones, and from then on regularly to those and some others. */
  async start(): Promise<void> {
    if (!this.mayHaveOthers) return;
    await this.announce(this.#listed);
    this.#timer = setInterval(() => void this.announce([...this.#listed, ...this.#someOthers()]), ANNOUNCE_EVERY_MS).unref();
  }

  close(): void {
    clearInterval(this.#timer);
    this.client.close();
  }

  /** Exchanges what is known with these nodes. One that does not respond learns it later, from others. */
  async announce(to: readonly OtherNode[]): Promise<void> {
    const body = JSON.stringify({ announcements: this.announcements?.all() ?? [] });
    const request = { method: "POST", path: ANNOUNCEMENTS_PATH, headers: { "content-type": "application/json" }, body };
    const answers = await Promise.allSettled(to.map((node) => this.client.send(node, request)));
    for (const answer of answers) {
      if (answer.status === "rejected" || answer.value.status !== 200) continue;
      const read = announcementsBody.safeParse(parsed(answer.value.body));
      if (read.success) this.announcements?.take(read.data.announcements);
    }
  }

  #someOthers(): OtherNode[] {
    return this.others
      .filter((node) => !this.#listed.includes(node))
      .map((node) => ({ node, order: Math.random() }))
      .toSorted((one, other) => one.order - other.order)
      .slice(0, TOLD_AT_ONCE)
      .map(({ node }) => node);
  }

  /** The node of a leg. An id without a node is looked up here. */
  ownerOfLeg(controlId: string): Owner {
    return this.ownerNamed(exchangeOfControlId(controlId));
  }

  /** The node with the calls of a browser tab. */
  ownerOfBrowser(voiceSdkId: string): Owner {
    return this.ownerNamed(nodeOfVoiceSdkId(voiceSdkId));
  }

  /** The node that verifies a number: always the same, so that a code is checked where it was read. */
  ownerOfNumber(number: string): Owner {
    const [first = this.name] = this.names.toSorted((one, other) => Buffer.compare(weight(other, number), weight(one, number)));
    return this.ownerNamed(first);
  }

  /** All nodes, in the same order at each. */
  get names(): readonly string[] {
    return [this.name, ...this.others.map(({ name }) => name)].toSorted();
  }

  /** Sends a request to all other nodes. @throws NodeUnreachable if any does not respond */
  async sendToOthers(request: NodeRequest): Promise<NodeResponse[]> {
    const results = await Promise.allSettled(this.others.map((node) => this.client.send(node, request)));
    return results.map((result) => {
      if (result.status === "rejected") throw result.reason;
      return result.value;
    });
  }

  /** Asks all other nodes. @returns each node's response; null if it did not respond */
  async askOthers(request: NodeRequest): Promise<{ readonly name: string; readonly response: NodeResponse | null }[]> {
    const ask = async (node: OtherNode) => ({
      name: node.name,
      response: await this.client.send(node, request).catch((error: unknown) => {
        if (error instanceof NodeUnreachable) return null;
        throw error;
      }),
    });
    return Promise.all(this.others.map(ask));
  }

  ownerNamed(name: string | null): Owner {
    if (name === null || name === this.name) return "self";
    return this.others.find((node) => node.name === name) ?? null;
  }
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return null;
  }
}

/** Rendezvous hashing: adding or removing a node moves only that node's numbers. */
function weight(name: string, number: string): Buffer {
  return createHash("sha256")
    .update(JSON.stringify([name, number]))
    .digest();
}
