import { InMemorySigner } from "@taquito/signer";
import { TezosToolkit } from "@taquito/taquito";
import { describe } from "vitest";
import { describeClient } from "./client-flows.ts";

describe("Taquito 24.2.0", () => {
  describeClient({
    toolkit: (endpoint, secretKey) => {
      const tezos = new TezosToolkit(endpoint);
      tezos.setProvider({ signer: new InMemorySigner(secretKey) });
      return tezos;
    },
  });
});
