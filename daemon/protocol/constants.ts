// Ports, names, addresses and public development keys of the sandbox: the one place that holds them.

import { type Address, addressOf } from "../tezos/address.ts";
import { mutez } from "../tezos/mutez.ts";

/** Product version, checked against package.json by a test. */
export const VERSION = "0.1.0-alpha.1";

export const LOOPBACK = "127.0.0.1";

/** Default ports; 0 in a configuration means "any free port". */
export const DEFAULT_PORTS = { sandboxd: 54321, layer1_node: 18730, runtime_node: 8933 } as const;

/** Name of the sandbox network on the command line; reserved in the CLI configuration. */
export const SANDBOX_NETWORK = "dev";

/** Contracts and rollup present in every sandbox (same addresses as in the Jstz sandbox). */
export const BRIDGE_ADDRESS = addressOf("KT1GFiPkkTjd14oHe6MrBPiRh5djzRkVWcni");
export const EXCHANGER_ADDRESS = addressOf("KT1F3MuqvT9Yz57TgCS3EkDcKNZe9HpiavUJ");
export const ROLLUP_ADDRESS = addressOf("sr1PuFMgaRUN12rKQ3J2ae5psNtwCxPNmGNK");

/** Initial layer 1 balance of each bootstrap account, in mutez. */
export const BOOTSTRAP_BALANCE = mutez(100_000_000_000n);

/** A layer 1 account with its key. These keys are public development keys: never use them elsewhere. */
export interface DevelopmentAccount {
  readonly label: string;
  readonly address: Address;
  readonly publicKey: string;
  readonly secretKey: string;
}

type Six<T> = readonly [T, T, T, T, T, T];

/** The six accounts shown to users, in the order of the table. */
export const BOOTSTRAP_ACCOUNTS: Six<DevelopmentAccount> = [
  {
    label: "bootstrap0",
    address: addressOf("tz1TGu6TN5GSez2ndXXeDX6LgUDvLzPLqgYV"),
    publicKey: "edpkuSLWfVU1Vq7Jg9FucPyKmma6otcMHac9zG4oU1KMHSTBpJuGQ2",
    secretKey: "edsk31vznjHSSpGExDMHYASz45VZqXN4DPxvsa4hAyY8dHM28cZzp6",
  },
  {
    label: "bootstrap1",
    address: addressOf("tz1KqTpEZ7Yob7QbPE4Hy4Wo8fHG8LhKxZSx"),
    publicKey: "edpkuBknW28nW72KG6RoHtYW7p12T6GKc7nAbwYX5m8Wd9sDVC9yav",
    secretKey: "edsk3gUfUPyBSfrS9CCgmCiQsTCHGkviBDusMxDJstFtojtc1zcpsh",
  },
  {
    label: "bootstrap2",
    address: addressOf("tz1gjaF81ZRRvdzjobyfVNsAeSC6PScjfQwN"),
    publicKey: "edpktzNbDAUjUk697W7gYg2CRuBQjyPxbEg8dLccYYwKSKvkPvjtV9",
    secretKey: "edsk39qAm1fiMjgmPkw1EgQYkMzkJezLNewd7PLNHTkr6w9XA2zdfo",
  },
  {
    label: "bootstrap3",
    address: addressOf("tz1faswCTDciRzE4oJ9jn2Vm2dvjeyA9fUzU"),
    publicKey: "edpkuTXkJDGcFd5nh6VvMz8phXxU3Bi7h6hqgywNFi1vZTfQNnS1RV",
    secretKey: "edsk4ArLQgBTLWG5FJmnGnT689VKoqhXwmDPBuGx3z4cvwU9MmrPZZ",
  },
  {
    label: "bootstrap4",
    address: addressOf("tz1b7tUupMgCNw2cCLpKTkSD1NZzB5TkP2sv"),
    publicKey: "edpkuFrRoDSEbJYgxRtLx2ps82UdaYc1WwfS9sE11yhauZt5DgCHbU",
    secretKey: "edsk2uqQB9AY4FvioK2YMdfmyMrer5R8mGFyuaLLFfSRo8EoyNdht3",
  },
  {
    label: "bootstrap5",
    address: addressOf("tz1ddb9NMYHZi5UzPdzTZMYQQZoMub195zgv"),
    publicKey: "edpkv8EUUH68jmo3f7Um5PezmfGrRF24gnfLpH3sVNwJnV5bVCxL2n",
    secretKey: "edsk4QLrcijEffxV31gGdN2HU7UpyJjA8drFoNcmnB28n89YjPNRFm",
  },
];

/**
 * How long the runtime holds a request for the receipt of a pending operation, in ms. Long, because clients take the 404
 * that follows as final; below 60 s, the usual timeout of clients (including the Jstz SDK) and proxies.
 */
export const RECEIPT_HOLD_MS = 55_000;

/** Gas limit of a call for which nobody names another, as in the Jstz CLI. */
export const DEFAULT_GAS_LIMIT = 550_000;

/** Publishes commitments and executes withdrawals on layer 1; funded, not listed to users. */
export const ROLLUP_OPERATOR: DevelopmentAccount = {
  label: "rollup_operator",
  address: addressOf("tz1RXcVsZpyQuiFoadaiWUSszFprJxynSDgS"),
  publicKey: "edpktoeTraS2WW9iaceu8hvHJ1sUJFSKavtzrMcp4jwMoJWWBts8AK",
  secretKey: "edsk3D6aGWpSiMMiEfNZ7Jyi52S9AtjvLCutqnCi3qev65WShKLKW4",
};

/** Signs oracle answers and large-payload operations in the runtime (the runtime's "null address"). */
export const INJECTOR: DevelopmentAccount = { ...BOOTSTRAP_ACCOUNTS[1], label: "injector" };
