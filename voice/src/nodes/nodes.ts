import { createHash } from "node:crypto";
import { exchangeOfControlId } from "@farline/domain/calls/call-state.ts";
import { NodeClient, type NodeRequest, type NodeResponse, NodeUnreachable, type OtherNode } from "./node-client.ts";
import { nodeOfVoiceSdkId } from "./node-ids.ts";

/** The node that owns a leg, browser or number: this one, another one, or one that no longer exists. */
export type Owner = "self" | OtherNode | null;

/**
 * The exchanges behind one name. They share only their keys and the list of nodes (docs/decisions/038-exchange-nodes.md).
 */
export class Nodes {
  readonly name: string;
  /** All except this one. */
  readonly others: readonly OtherNode[];
  readonly client: NodeClient;

  /** @param all the nodes by name, including this one; may be empty for a single node */
  constructor(name: string, all: ReadonlyMap<string, URL>, apiKey: string) {
    this.name = name;
    this.others = [...all].filter(([one]) => one !== name).map(([one, url]) => ({ name: one, url }));
    this.client = new NodeClient(apiKey);
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

/** Rendezvous hashing: adding or removing a node moves only that node's numbers. */
function weight(name: string, number: string): Buffer {
  return createHash("sha256")
    .update(JSON.stringify([name, number]))
    .digest();
}
