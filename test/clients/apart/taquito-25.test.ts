import { InMemorySigner } from "@taquito/signer";
import { TezosToolkit } from "@taquito/taquito";
import { describe } from "vitest";
import { describeClient, type Toolkit } from "../client-flows.ts";

describe("Taquito 25.0.0", () => {
  describeClient({
    toolkit: (endpoint, secretKey) => {
      const tezos = new TezosToolkit(endpoint);
      tezos.setProvider({ signer: new InMemorySigner(secretKey) });
      // The part of the interface used by the flows is the same in both versions.
      return tezos as unknown as Toolkit;
    },
  });
});
