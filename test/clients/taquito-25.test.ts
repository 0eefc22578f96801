import type { TezosToolkit as TezosToolkit24 } from "@taquito/taquito";
import { TezosToolkit } from "taquito-25";
import { InMemorySigner } from "taquito-signer-25";
import { describe } from "vitest";
import { describeClient } from "./client-flows.ts";

describe("Taquito 25.0.0", () => {
  describeClient({
    toolkit: (endpoint, secretKey) => {
      const tezos = new TezosToolkit(endpoint);
      tezos.setProvider({ signer: new InMemorySigner(secretKey) });
      // The part of the interface used by the flows is the same in both versions.
      return tezos as unknown as TezosToolkit24;
    },
  });
});
