// The subscription hub: clients by number, what each is subscribed to, and what it is sent when a block has come.
import { reasonOf, SandboxError } from "../../protocol/errors.ts";
import { headRow } from "../answers/blocks.ts";
import type { ChainIndex } from "../chain/chain-index.ts";
import type { BlockRow } from "../chain/index-rows.ts";
import { AnswerWriter } from "../query/answer-writer.ts";
import type { Turns, Work } from "../query/turns.ts";
import {
  closing,
  completed,
  event,
  failed,
  HANDSHAKE_ACCEPTED,
  type Heard,
  heardIn,
  PING,
  refusedHandshake,
} from "./signalr-messages.ts";
import { type Choose, type Subscription, subscriptionTo, Unsubscribable } from "./subscriptions.ts";

/** Subscriptions of one client. */
const MAX_SUBSCRIPTIONS = 64;
/** Characters of one message to a client: what its connection can hold. */
const MAX_MESSAGE = 2 * 1024 * 1024;
/** Characters that a client gets of one block. */
const MAX_OF_BLOCK = 4 * 1024 * 1024;
/** Milliseconds of work for all clients of a block, and for each of them at least. */
const BLOCK_MS = 500;
const LEAST_MS = 50;
/** Characters of texts that are kept for the next client. */
const MAX_KEPT = 8 * 1024 * 1024;
/** Characters after which it waits until they have left. */
const FLUSH_AFTER = 1024 * 1024;
/** Clients take a hub for gone that is silent for twice as long. */
const PING_MS = 15_000;

/** Kinds of messages of a channel: where it stands, rows, and that what was told is void. */
const STATE = 0;
const DATA = 1;
const REORGANISATION = 2;

interface Client {
  hasShaken: boolean;
  readonly subscriptions: Map<string, Subscription>;
}

export interface HubOptions {
  readonly index: () => ChainIndex;
  readonly upToDate: () => Promise<unknown>;
  readonly send: (client: number, text: string) => void;
  /** Ends the connection of a client. */
  readonly end: (client: number) => void;
  /** Resolves when everything that was sent has left the thread. */
  readonly taken: () => Promise<void>;
  readonly turns: Turns;
}

export class Hub {
  readonly #options: HubOptions;
  readonly #clients = new Map<number, Client>();
  /** What there was to tell has been told. */
  #told = Promise.resolve();
  /** Characters sent since all was known to have come. */
  #unsent = 0;

  constructor(options: HubOptions) {
    this.#options = options;
    setInterval(() => {
      for (const [id, { hasShaken }] of this.#clients) if (hasShaken) options.send(id, PING);
    }, PING_MS).unref();
  }

  /** What a client has sent; one that nobody knows is new. */
  hear(id: number, text: string): void {
    let client = this.#clients.get(id);
    if (client === undefined)
      this.#clients.set(id, (client = { hasShaken: false, subscriptions: new Map() }));
    const heard = heardIn(text);
    if (heard === undefined) return this.#drop(id, closing("This is no message of the JSON hub protocol."));
    for (const each of heard) if (this.#clients.has(id)) this.#act(id, client, each);
  }

  leave(id: number): void {
    this.#clients.delete(id);
  }

  /** Tells everybody of a new block, in turns with the answers. */
  tell(block: BlockRow): void {
    const index = this.#options.index();
    const head = headRow(index);
    const listeners = this.#listeners();
    this.#inOrder(async () => {
      const texts = new Texts();
      for (const { id, subscriptions } of listeners) {
        const work = this.#options.turns.begin(Math.max(LEAST_MS, BLOCK_MS / listeners.length));
        try {
          await this.#tellOne(
            id,
            subscriptions,
            work,
            texts,
            (choose) => choose(index, block, head),
            block.level,
          );
        } catch (error) {
          this.#drop(id, closing(`Your subscriptions ask for too much: ${reasonOf(error)}`));
        }
      }
    });
  }

  async #tellOne(
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
      // Many clients subscribe to the same: it is written once.
      if (!texts.has(key)) texts.set(key, await dataText(channel, chosen(choose), level, work));
      const text = texts.get(key);
      if (text === undefined || !this.#clients.has(id)) continue;
      this.#options.send(id, text);
      length += text.length;
      this.#unsent += text.length;
      if (length > MAX_OF_BLOCK) throw new Error(`more than ${MAX_OF_BLOCK} characters of one block.`);
      if (this.#unsent < FLUSH_AFTER) continue;
      this.#unsent = 0;
      await work.outside(this.#options.taken());
    }
  }

  /** Tells everybody that what came after a level is void. */
  reorganise(level: number): void {
    const listeners = this.#listeners();
    this.#inOrder(async () => {
      for (const { id, subscriptions } of listeners)
        for (const channel of new Set(subscriptions.map((each) => each.channel)))
          if (this.#clients.has(id))
            this.#options.send(id, event(channel, JSON.stringify({ type: REORGANISATION, state: level })));
    });
  }

  /** Who is subscribed to what now: whoever comes later is told of what comes later. */
  #listeners(): readonly { readonly id: number; readonly subscriptions: readonly Subscription[] }[] {
    return [...this.#clients].map(([id, { subscriptions }]) => ({
      id,
      subscriptions: [...subscriptions.values()],
    }));
  }

  #inOrder(tell: () => Promise<void>): void {
    this.#told = this.#told.then(tell);
  }

  #act(id: number, client: Client, heard: Heard): void {
    switch (heard.kind) {
      case "handshake":
        if (!heard.isJson) return this.#drop(id, refusedHandshake("The protocol of this hub is json."));
        client.hasShaken = true;
        return this.#options.send(id, HANDSHAKE_ACCEPTED);
      case "invocation":
        if (!client.hasShaken) return this.#drop(id, refusedHandshake("The handshake comes first."));
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
    { id: invocation, target, arguments: [parameters] }: Extract<Heard, { kind: "invocation" }>,
  ): void {
    const { send, index, upToDate } = this.#options;
    try {
      const subscription = subscriptionTo(target, parameters);
      if (!client.subscriptions.has(subscription.key) && client.subscriptions.size >= MAX_SUBSCRIPTIONS)
        throw new Unsubscribable(`Subscriptions limit exceeded: ${MAX_SUBSCRIPTIONS}`);
      const answer = (): void => {
        if (!this.#clients.has(id)) return;
        client.subscriptions.set(subscription.key, subscription);
        const state = index().head?.level ?? 0;
        send(id, event(subscription.channel, JSON.stringify({ type: STATE, state })));
        if (invocation !== undefined) send(id, completed(invocation, state));
      };
      void upToDate().then(answer, () => this.#drop(id, closing("Layer 1 does not answer.")));
    } catch (error) {
      if (!(error instanceof Unsubscribable)) throw error;
      if (invocation !== undefined) send(id, failed(invocation, error.message));
    }
  }

  #drop(id: number, lastWords?: string): void {
    if (lastWords !== undefined) this.#options.send(id, lastWords);
    this.#clients.delete(id);
    this.#options.end(id);
  }
}

/** Texts of a block by subscription; when they are too long together, they are made again. */
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

/** Messages are short enough to be written whenever it is their turn. */
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
