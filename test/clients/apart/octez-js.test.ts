import { InMemorySigner } from "@taquito/signer";
import { TezosToolkit } from "@tezos-x/octez.js";
import { describe } from "vitest";
import { describeClient, type Toolkit } from "../client-flows.ts";

describe("octez.js 0.9.0", () => {
  describeClient({
    toolkit: (endpoint, secretKey) => {
      const tezos = new TezosToolkit(endpoint);
      tezos.setProvider({ signer: new InMemorySigner(secretKey) });
      // octez.js has the interface of Taquito, its origin, as far as the flows use it.
      return tezos as unknown as Toolkit;
    },
  });
});
