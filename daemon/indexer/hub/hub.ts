// The subscription hub: clients by number, what each is subscribed to, and what it is sent when a block has come.
import { stringifyExact } from "../../protocol/exact-json.ts";
import type { ChainIndex } from "../chain/chain-index.ts";
import type { BlockRow } from "../chain/index-rows.ts";
import { shown } from "../query/selection.ts";
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
import { type Subscription, subscriptionTo, Unsubscribable } from "./subscriptions.ts";

/** Subscriptions of one client. */
const MAX_SUBSCRIPTIONS = 64;
/** Characters of one message to a client: what its connection can hold. */
const MAX_MESSAGE = 2 * 1024 * 1024;
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
}

export class Hub {
  readonly #options: HubOptions;
  readonly #clients = new Map<number, Client>();

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

  /** Tells everybody of a new block. */
  tell(block: BlockRow): void {
    const texts = new Map<string, string | undefined>();
    for (const [id, { subscriptions }] of this.#clients)
      for (const [key, { channel, choose }] of subscriptions) {
        // Many clients subscribe to the same: it is written once.
        if (!texts.has(key))
          texts.set(key, this.#dataText(channel, choose(this.#options.index(), block), block.level));
        const text = texts.get(key);
        if (text !== undefined) this.#options.send(id, text);
      }
  }

  /** Tells everybody that what came after a level is void. */
  reorganise(level: number): void {
    for (const [id, { subscriptions }] of this.#clients)
      for (const channel of new Set([...subscriptions.values()].map((each) => each.channel)))
        this.#options.send(id, event(channel, JSON.stringify({ type: REORGANISATION, state: level })));
  }

  #dataText(channel: string, data: unknown, state: number): string | undefined {
    if (data === undefined) return undefined;
    const json = stringifyExact({ type: DATA, data: shown(data, 0), state });
    return json.length > MAX_MESSAGE ? undefined : event(channel, json);
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
