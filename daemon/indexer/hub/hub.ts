// The subscription hub: clients with their subscriptions, and the messages for each new block.
import { reasonOf, SandboxError } from "../../protocol/errors.ts";
import { headRow } from "../answers/blocks.ts";
import type { ChainIndex } from "../chain/chain-index.ts";
import type { BlockRow } from "../chain/index-rows.ts";
import { AnswerWriter } from "../query/answer-writer.ts";
import type { Turns, Work } from "../query/turns.ts";
import {
  closeMessage,
  completion,
  event,
  completionError,
  HANDSHAKE_ACCEPTED,
  type ClientMessage,
  parseMessages,
  PING,
  handshakeError,
} from "./signalr-messages.ts";
import { type Choose, type Subscription, subscriptionTo, Unsubscribable } from "./subscriptions.ts";

/** Subscriptions per client. */
const MAX_SUBSCRIPTIONS = 64;
/** Characters of their parameters. Real ones have some hundred each. */
const MAX_PARAMETERS = 64 * 1024;
/** Characters per message: a connection buffers no more. */
const MAX_MESSAGE = 2 * 1024 * 1024;
/** Characters per client and block. */
const MAX_OF_BLOCK = 4 * 1024 * 1024;
/** Milliseconds of work per block for all clients, and the minimum for each. */
const BLOCK_MS = 500;
const LEAST_MS = 50;
/** Characters of texts cached for the next clients. */
const MAX_KEPT = 8 * 1024 * 1024;
/** Characters sent before the hub waits for a flush. */
const FLUSH_AFTER = 1024 * 1024;
/** Clients disconnect after twice this silence. */
const PING_MS = 15_000;

/** Types of channel messages: current state, rows, reorganisation. */
const STATE = 0;
const DATA = 1;
const REORGANISATION = 2;

interface Client {
  hasShaken: boolean;
  /** Keys of the subscriptions, and of those that wait for layer 1. */
  readonly asked: Set<string>;
  /** Characters of these keys. */
  length: number;
  readonly subscriptions: Map<string, Subscription>;
}

export interface HubOptions {
  readonly index: () => ChainIndex;
  readonly upToDate: () => Promise<unknown>;
  readonly send: (client: number, text: string) => void;
  /** Closes a client's connection. */
  readonly end: (client: number) => void;
  /** Resolves when the servers' thread has received everything sent. */
  readonly flush: () => Promise<void>;
  readonly turns: Turns;
}

export class Hub {
  readonly #options: HubOptions;
  readonly #clients = new Map<number, Client>();
  /** Ends with the last queued publication. */
  #queue = Promise.resolve();
  /** Characters sent since the last flush. */
  #unsent = 0;

  constructor(options: HubOptions) {
    this.#options = options;
    setInterval(() => {
      for (const [id, { hasShaken }] of this.#clients) if (hasShaken) options.send(id, PING);
    }, PING_MS).unref();
  }

  /** Handles a client's text; an unknown id is a new client. */
  hear(id: number, text: string): void {
    let client = this.#clients.get(id);
    if (client === undefined) {
      client = { hasShaken: false, asked: new Set(), length: 0, subscriptions: new Map() };
      this.#clients.set(id, client);
    }
    const heard = parseMessages(text);
    if (heard === undefined) return this.#drop(id, closeMessage("Not a message of the JSON hub protocol."));
    for (const each of heard) if (this.#clients.has(id)) this.#act(id, client, each);
  }

  leave(id: number): void {
    this.#clients.delete(id);
  }

  /** Sends a new block to the subscribers, in turns with queries. */
  publish(block: BlockRow): void {
    const index = this.#options.index();
    const head = headRow(index);
    const listeners = this.#listeners();
    this.#inOrder(async () => {
      const texts = new Texts();
      for (const { id, subscriptions } of listeners) {
        const work = this.#options.turns.begin(Math.max(LEAST_MS, BLOCK_MS / listeners.length));
        try {
          await this.#sendBlock(
            id,
            subscriptions,
            work,
            texts,
            (choose) => choose(index, block, head),
            block.level,
          );
        } catch (error) {
          this.#drop(id, closeMessage(`Your subscriptions ask for too much: ${reasonOf(error)}`));
        }
      }
    });
  }

  async #sendBlock(
    id: number,
    subscriptions: readonly Subscription[],
    work: Work,
    texts: Texts,
    chosen: (choose: Choose) => unknown,
    level: number,
  ): Promise<void> {
    let length = 0;
    for (const { key, channel, choose } of subscriptions) {
      await work.turn();
      // Equal subscriptions of several clients share the text.
      if (!texts.has(key)) texts.set(key, await dataText(channel, chosen(choose), level, work));
      const text = texts.get(key);
      if (text === undefined || !this.#clients.has(id)) continue;
      this.#options.send(id, text);
      length += text.length;
      this.#unsent += text.length;
      if (length > MAX_OF_BLOCK) throw new Error(`more than ${MAX_OF_BLOCK} characters of one block.`);
      if (this.#unsent < FLUSH_AFTER) continue;
      this.#unsent = 0;
      await work.outside(this.#options.flush());
    }
  }

  /** Tells all subscribers that blocks above a level are undone. */
  reorganise(level: number): void {
    const listeners = this.#listeners();
    this.#inOrder(async () => {
      for (const { id, subscriptions } of listeners)
        for (const channel of new Set(subscriptions.map((each) => each.channel)))
          if (this.#clients.has(id))
            this.#options.send(id, event(channel, JSON.stringify({ type: REORGANISATION, state: level })));
    });
  }

  /** The subscriptions now: later ones get later blocks only. */
  #listeners(): readonly { readonly id: number; readonly subscriptions: readonly Subscription[] }[] {
    return [...this.#clients].map(([id, { subscriptions }]) => ({
      id,
      subscriptions: [...subscriptions.values()],
    }));
  }

  #inOrder(tell: () => Promise<void>): void {
    this.#queue = this.#queue.then(tell);
  }

  #act(id: number, client: Client, heard: ClientMessage): void {
    switch (heard.kind) {
      case "handshake":
        if (!heard.isJson) return this.#drop(id, handshakeError("The protocol of this hub is json."));
        client.hasShaken = true;
        return this.#options.send(id, HANDSHAKE_ACCEPTED);
      case "invocation":
        if (!client.hasShaken) return this.#drop(id, handshakeError("The handshake comes first."));
        return this.#invoke(id, client, heard);
      case "close":
        return this.#drop(id);
      case "other":
        return;
    }
  }

  #invoke(
    id: number,
    client: Client,
    { id: invocation, target, arguments: [parameters] }: Extract<ClientMessage, { kind: "invocation" }>,
  ): void {
    const { send, index, upToDate } = this.#options;
    try {
      const subscription = subscriptionTo(target, parameters);
      if (!client.asked.has(subscription.key)) {
        if (client.asked.size >= MAX_SUBSCRIPTIONS)
          throw new Unsubscribable(`Subscriptions limit exceeded: ${MAX_SUBSCRIPTIONS}`);
        if (client.length + subscription.key.length > MAX_PARAMETERS)
          throw new Unsubscribable(`Subscriptions limit exceeded: ${MAX_PARAMETERS} characters`);
        client.asked.add(subscription.key);
        client.length += subscription.key.length;
      }
      const answer = (): void => {
        if (!this.#clients.has(id)) return;
        client.subscriptions.set(subscription.key, subscription);
        const state = index().head?.level ?? 0;
        send(id, event(subscription.channel, JSON.stringify({ type: STATE, state })));
        if (invocation !== undefined) send(id, completion(invocation, state));
      };
      void upToDate().then(answer, () => this.#drop(id, closeMessage("Layer 1 does not answer.")));
    } catch (error) {
      if (!(error instanceof Unsubscribable)) throw error;
      if (invocation !== undefined) send(id, completionError(invocation, error.message));
    }
  }

  #drop(id: number, lastWords?: string): void {
    if (lastWords !== undefined) this.#options.send(id, lastWords);
    this.#clients.delete(id);
    this.#options.end(id);
  }
}

/** Cached texts of a block by subscription; beyond a total length they are written again when needed. */
class Texts {
  readonly #texts = new Map<string, string | undefined>();
  #length = 0;

  has(key: string): boolean {
    return this.#texts.has(key);
  }

  get(key: string): string | undefined {
    return this.#texts.get(key);
  }

  set(key: string, text: string | undefined): void {
    this.#length += text?.length ?? 0;
    if (this.#length > MAX_KEPT) {
      this.#texts.clear();
      this.#length = text?.length ?? 0;
    }
    this.#texts.set(key, text);
  }
}

/** Messages are too short to need the place for long answers. */
const ANY_PLACE = { enter: () => Promise.resolve(() => undefined) };

async function dataText(
  channel: string,
  data: unknown,
  state: number,
  work: Work,
): Promise<string | undefined> {
  if (data === undefined) return undefined;
  const writer = new AnswerWriter(work, ANY_PLACE, MAX_MESSAGE);
  try {
    await writer.value({ type: DATA, data, state });
  } catch (error) {
    if (error instanceof SandboxError && error.code === "ANSWER_TOO_LARGE") return undefined;
    throw error;
  }
  return event(channel, writer.finish());
}
