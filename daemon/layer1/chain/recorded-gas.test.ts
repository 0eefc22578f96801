// Gas of originations and calls as recorded by a client of the real protocol: Octez, tezt's `contract_onchain_opcodes`
// (protocol 025, each operation with its original fee and limits).
import { expect, it } from "vitest";
import { parseMichelineText, parseScriptText } from "../../tezos/micheline-text.ts";
import { ALICE, type Draft, type DrivenChain, driveChain } from "../testing/driven-chain.ts";
import { requireApplied } from "../testing/results.ts";

interface Limits {
  readonly fee: string;
  readonly gas_limit: string;
  readonly storage_limit: string;
}

interface Recorded {
  readonly script: string;
  readonly storage: string;
  readonly origination: Limits & { readonly milligas: string };
  readonly call: Limits & { readonly amount: string; readonly argument: string; readonly milligas: string };
}

const limits = (fee: string, gas_limit: string, storage_limit: string): Limits => ({
  fee,
  gas_limit,
  storage_limit,
});

const RECORDED: Readonly<Record<string, Recorded>> = {
  store_input: {
    script: "parameter string; storage string; code { CAR; NIL operation; PAIR }",
    storage: '""',
    origination: { ...limits("336", "679", "318"), milligas: "578254" },
    call: { ...limits("403", "1379", "27"), amount: "0", argument: '"abcdefg"', milligas: "1279192" },
  },
  level: {
    script: "parameter unit; storage nat; code { DROP; LEVEL; NIL operation; PAIR }",
    storage: "9999999",
    origination: { ...limits("338", "680", "320"), milligas: "579449" },
    call: { ...limits("386", "1378", "0"), amount: "0", argument: "Unit", milligas: "1278848" },
  },
  transfer_amount: {
    script: "parameter unit; storage mutez; code { DROP; AMOUNT; NIL operation; PAIR }",
    storage: "0",
    origination: { ...limits("335", "680", "317"), milligas: "579127" },
    call: { ...limits("390", "1379", "24"), amount: "500000000", argument: "Unit", milligas: "1279021" },
  },
};

/**
 * A first call looks up the cache of contracts three times. The recording client's cache held some hundred contracts, ours
 * counts as full: nine doublings of 43 milligas each.
 */
const FULLER_CACHE = 3 * 9 * 43;

async function measure(driven: DrivenChain, draft: Draft): Promise<Record<string, unknown>> {
  const [metadata] = await driven.apply(draft, ALICE);
  return requireApplied(metadata!.operation_result) as never;
}

it.each(Object.entries(RECORDED))("%s", async (_, { script, storage, origination, call }) => {
  const driven = driveChain();
  const { milligas, ...originationLimits } = origination;
  const originated = await measure(driven, {
    kind: "origination",
    balance: "0",
    script: { code: parseScriptText(`{ ${script} }`), storage: parseMichelineText(storage) },
    ...originationLimits,
  });
  const [destination] = originated["originated_contracts"] as string[];
  const { amount, argument, milligas: callMilligas, ...callLimits } = call;
  const parameters = { entrypoint: "default", value: parseMichelineText(argument) };
  const called = await measure(driven, {
    kind: "transaction",
    amount,
    destination: destination!,
    ...(argument !== "Unit" && { parameters }),
    ...callLimits,
  });
  const inItsCache = Number(called["consumed_milligas"]) - FULLER_CACHE;
  expect([originated["consumed_milligas"], String(inItsCache)]).toEqual([milligas, callMilligas]);
});

it("a call that calls another contract", async () => {
  const driven = driveChain();
  const originate = async (script: string, balance: string): Promise<string> => {
    const result = await measure(driven, {
      kind: "origination",
      balance,
      script: { code: parseScriptText(`{ ${script} }`), storage: { prim: "Unit" } },
    });
    return (result["originated_contracts"] as string[])[0]!;
  };
  const called = await originate(
    "parameter unit; storage unit; code { CDR; NIL operation; PAIR }",
    "100000000",
  );
  const caller = await originate(
    "parameter (contract unit); storage unit; code { CAR; DIP { UNIT }; PUSH mutez 100000000; UNIT; TRANSFER_TOKENS; NIL operation; SWAP; CONS; PAIR }",
    "1000000000",
  );
  const [metadata] = await driven.apply({
    kind: "transaction",
    amount: "0",
    destination: caller,
    parameters: { entrypoint: "default", value: { string: called } },
    ...limits("599", "3050", "0"),
  });
  const results = [metadata!.operation_result, metadata!.internal_operation_results![0]!.result];
  const milligas = results.map((result) => Number(requireApplied(result).consumed_milligas) - FULLER_CACHE);
  expect(milligas).toEqual([1_742_298, 1_209_358]);
});
