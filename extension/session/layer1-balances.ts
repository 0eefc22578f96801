// Balances on layer 1, read again only when there is another block: views are refreshed after every operation of the
// runtime, and a request costs the extension host more than anything else here.
import { headHash, layer1Balance } from "../../daemon/client/layer1-balance.ts";

export class Layer1Balances {
  readonly #endpoint: string;
  #head: string | undefined;
  /** As of that head or a later one. */
  #known = new Map<string, bigint>();

  /** @param endpoint address of layer 1, without a slash at its end */
  constructor(endpoint: string) {
    this.#endpoint = endpoint;
  }

  /** mutez, without the addresses that could not be read. @throws SandboxError when layer 1 does not answer */
  async of(addresses: readonly string[]): Promise<ReadonlyMap<string, bigint>> {
    const head = await headHash(this.#endpoint);
    if (head !== this.#head) this.forget();
    this.#head = head;
    const known = this.#known;
    const unknown = addresses.filter((address) => !known.has(address));
    await Promise.all(
      unknown.map(async (address) => {
        const balance = await layer1Balance(this.#endpoint, address).catch(() => undefined);
        if (balance !== undefined) known.set(address, balance);
      }),
    );
    return known;
  }

  /** For a chain that went back: the same head may stand for less than was read. */
  forget(): void {
    this.#head = undefined;
    this.#known = new Map();
  }
}
