// RPCs that pack, normalize and typecheck data, types and scripts without running them.
import { toHex } from "../../tezos/hex.ts";
import { type Fields, michelineField } from "../../tezos/json-fields.ts";
import type { Chain } from "../chain/chain.ts";
import type { Job } from "../job.ts";
import { noGasLimit } from "../michelson/gas.ts";
import { readLiteralPoints } from "../michelson/literal-points.ts";
import { permanent, traceErrors, traceJobErrors } from "../michelson/michelson-error.ts";
import { packWithRests } from "../michelson/pack.ts";
import { TYPE_RULES, parseType } from "../michelson/parse-type.ts";
import { readValue } from "../michelson/parse-value.ts";
import { rewriteCode } from "../michelson/rewrite-code.ts";
import { lambdaInData, typecheckScript } from "../michelson/script.ts";
import { TypeMap } from "../michelson/type-map.ts";
import { binaryType, plainType } from "../michelson/type.ts";
import { unparseWithRests } from "../michelson/unparse-value.ts";
import { expandConstants } from "../operations/global-constants.ts";
import { dataScope } from "../operations/read-data.ts";
import { type Rpc } from "./rpc-server.ts";
import { type Scratch, formOf, gasOf, scriptRoute, optionalGas, gasLeft } from "./script-request.ts";

/** Stack types before and after each instruction, newest first, and the remaining gas. */
function* typecheckCode({ context }: Scratch, fields: Fields): Job<object> {
  const gas = optionalGas(fields);
  const meter = gas ?? gasOf(fields);
  const map = new TypeMap();
  const log = fields["show_types"] === false ? undefined : map.log;
  const code = expandConstants(context, meter, michelineField(fields["program"], "program"));
  yield* readLiteralPoints(code, meter);
  yield* typecheckScript(code, meter, fields["legacy"] === true, log);
  return { type_map: map.newestFirst(), gas: gasLeft(gas) };
}

export function addScriptDataRoutes(rpc: Rpc, chain: Chain): void {
  const script = scriptRoute(rpc, chain);

  script("/pack_data", function* (scratch, fields) {
    const packed = parseType(michelineField(fields["type"], "type"));
    const value = yield* readValue(
      packed,
      michelineField(fields["data"], "data"),
      dataScope({ ...scratch, block: scratch.frame, gas: noGasLimit() }),
    );
    return { packed: toHex(yield* packWithRests(packed, value)), gas: "unaccounted" };
  });
  script("/normalize_data", function* (scratch, fields) {
    const t = parseType(michelineField(fields["type"], "type"));
    const value = yield* readValue(
      t,
      michelineField(fields["data"], "data"),
      dataScope(
        { ...scratch, block: scratch.frame, gas: noGasLimit() },
        { allowTickets: true, allowBigMapIds: true },
      ),
    );
    return { normalized: yield* unparseWithRests(t, value, formOf(fields)) };
  });
  script("/normalize_type", (_scratch, fields) => ({
    normalized: binaryType(parseType(michelineField(fields["type"], "type"))),
  }));
  script("/normalize_script", function* (scratch, fields) {
    const gas = gasOf(fields);
    const code = expandConstants(scratch.context, gas, michelineField(fields["script"], "script"));
    yield* readLiteralPoints(code, gas);
    return { normalized: yield* rewriteCode(code, formOf(fields), gas, lambdaInData) };
  });
  script("/typecheck_data", function* (scratch, fields) {
    const gas = optionalGas(fields);
    const meter = gas ?? noGasLimit();
    const written = michelineField(fields["type"], "type");
    const t = traceErrors(
      () => permanent("michelson_v1.ill_formed_type", { ill_formed_expression: written, location: 0 }),
      () => parseType(written, { rules: TYPE_RULES.passable, gas: meter }),
    );
    const data = michelineField(fields["data"], "data");
    const rights = { legacy: fields["legacy"] === true, allowTickets: true, allowBigMapIds: true };
    yield* traceJobErrors(
      () =>
        permanent("michelson_v1.ill_typed_data", {
          expected_type: plainType(t),
          ill_typed_expression: data,
        }),
      readValue(t, data, dataScope({ ...scratch, block: scratch.frame, gas: meter }, rights)),
    );
    return { gas: gasLeft(gas) };
  });
  script("/typecheck_code", typecheckCode);
}
