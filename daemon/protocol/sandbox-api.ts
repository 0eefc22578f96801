// Wire types of sandboxd's HTTP interface: the schemas that validate, document and type it.
import type { Static } from "@sinclair/typebox";
import { HOLD_SECONDS } from "./debug-session-api.ts";
import { PART_NAMES, PART_STATES, SANDBOX_STATUSES } from "./part-name.ts";
import type { DepositEvent, OperationEvent } from "./runtime-event.ts";
import * as Type from "./schema-types.ts";

const partName = Type.Union(PART_NAMES.map((name) => Type.Literal(name)));

export const errorSchema = Type.Object({
  error: Type.Object({
    code: Type.String({ description: "Stable code of the error." }),
    message: Type.String({ description: "What happened, for people." }),
    next: Type.String({ description: "What to do now." }),
  }),
});

export const healthSchema = Type.Object({
  status: Type.Union(SANDBOX_STATUSES.map((status) => Type.Literal(status))),
  version: Type.String(),
  pid: Type.Integer({ description: "Process id of the daemon." }),
  startedAt: Type.String({ description: "ISO time of its start." }),
  lifelines: Type.Union([Type.Integer(), Type.Null()], {
    description: "Clients that keep the daemon alive; null when it lives until it is stopped.",
  }),
  clients: Type.Integer({ description: "Open event streams." }),
  explorer: Type.Optional(
    Type.String({ description: "Address of the web page, by the host name of the request." }),
  ),
  parts: Type.Array(
    Type.Object({
      name: partName,
      state: Type.Union(PART_STATES.map((state) => Type.Literal(state))),
      since: Type.String({ description: "ISO time at which this state began." }),
      detail: Type.String({ description: "One sentence: progress, endpoint or reason." }),
    }),
  ),
});
export type HealthReport = Static<typeof healthSchema>;

export const ownerProofSchema = Type.Object({
  address: Type.String({ description: "IP address at which the server was asked." }),
  port: Type.Integer({ description: "Port at which the server was asked." }),
  proof: Type.String({ description: "64 hex digits." }),
});

export const replaySchema = Type.Object({
  hash: Type.String({ description: "Hash of the operation, 64 hex digits." }),
});

export const coverageSchema = Type.Object({
  after: Type.Optional(
    Type.Integer({ minimum: 0, description: "Only operations after this position; 0, all that are kept." }),
  ),
});

export const sourceMapSchema = Type.Object({
  address: Type.String({ description: "Address of the function." }),
  sources: Type.Array(Type.String(), { description: "Absolute paths, for the sources of the map." }),
  map: Type.Optional(
    Type.String({
      description: "The map, compressed by gzip, in base64; without it the code is its own source.",
    }),
  ),
});

export const codePlacesSchema = Type.Object({
  places: Type.Array(Type.Object({ address: Type.String(), line: Type.Integer(), column: Type.Integer() }), {
    description: "Places in code of functions, lines and columns from 1.",
  }),
});

export const debugSessionSchema = Type.Object({
  command: Type.String({
    description:
      "`open` or `look` with a hash, or a command of an open session; `release` and `done` with `hold` and `hash` for a held operation.",
  }),
});

export const holdSchema = Type.Object({
  seconds: Type.Integer({
    minimum: HOLD_SECONDS.least,
    maximum: HOLD_SECONDS.most,
    description: "Time for which an operation is held at most.",
  }),
});

export type FunctionSource = Static<typeof sourceMapSchema>;

export const accountsSchema = Type.Object({
  accounts: Type.Array(
    Type.Object({
      label: Type.String({ description: "bootstrap<N>, or the label of the configuration." }),
      address: Type.String(),
      layer1_balance: Type.String({ description: "mutez, decimal" }),
      runtime_balance: Type.String({ description: "mutez, decimal" }),
    }),
  ),
});
export type AccountsReport = Static<typeof accountsSchema>;
export type AccountRow = AccountsReport["accounts"][number];

export const contractCallSchema = Type.Object({
  from: Type.String({ description: "Bootstrap label or address of the signer." }),
  contract: Type.String({ description: "KT1 address." }),
  amount: Type.Number({ minimum: 0, description: "tez" }),
  entrypoint: Type.String(),
  arg: Type.String({ description: "Argument as Michelson text." }),
});
export type ContractCall = Static<typeof contractCallSchema>;

const micheline = Type.Unknown({ description: "Micheline as JSON." });
export const layer1OperationSchema = Type.Object({
  from: Type.String({ description: "Label or address of the signer, whose secret key the sandbox has." }),
  contents: Type.Array(
    Type.Union([
      Type.Object({
        kind: Type.Literal("transaction"),
        destination: Type.String(),
        amount: Type.String({ pattern: "^[0-9]{1,19}$", description: "mutez" }),
        parameters: Type.Optional(Type.Object({ entrypoint: Type.String(), value: micheline })),
      }),
      Type.Object({
        kind: Type.Literal("origination"),
        script: Type.Object({ code: micheline, storage: micheline }),
      }),
    ]),
    { minItems: 1, maxItems: 100, description: "Applied all or none, in this order." },
  ),
});
export type Layer1OperationRequest = Static<typeof layer1OperationSchema>;

export const layer1OperationReportSchema = Type.Object({
  hash: Type.String(),
  level: Type.Integer(),
  fee: Type.String({ description: "mutez, decimal" }),
  contracts: Type.Array(Type.String(), { description: "Addresses of the new contracts." }),
});
export type Layer1OperationReport = Static<typeof layer1OperationReportSchema>;

export const runtimeOperationSchema = Type.Object({
  from: Type.String({ description: "Label or address of the signer, whose secret key the sandbox has." }),
  url: Type.String({ description: "jstz://<address>/path" }),
  method: Type.Optional(Type.String({ pattern: "^[A-Za-z]{1,20}$", description: "GET by default." })),
  headers: Type.Optional(Type.Record(Type.String(), Type.String())),
  body: Type.Optional(Type.String({ description: "Text." })),
  body_base64: Type.Optional(Type.String({ description: "Instead of `body`: any bytes." })),
  tez: Type.Optional(Type.String({ description: "tez to attach, decimal" })),
  gas_limit: Type.Optional(Type.Integer({ minimum: 0 })),
});
export type RuntimeOperationRequest = Static<typeof runtimeOperationSchema>;

export const runtimeOperationReportSchema = Type.Object({
  hash: Type.String(),
  receipt: Type.Unknown({ description: "As the runtime has it." }),
});
export type RuntimeOperationReport = Static<typeof runtimeOperationReportSchema>;

export const snapshotSchema = Type.Object({
  id: Type.String(),
  level: Type.Integer({ description: "Level of layer 1 that it captures." }),
});
export type SnapshotReport = Static<typeof snapshotSchema>;

export const snapshotListSchema = Type.Object({
  snapshots: Type.Array(
    Type.Intersect([snapshotSchema, Type.Object({ takenAt: Type.String({ format: "date-time" }) })]),
    { description: "Newest last." },
  ),
});
export type SnapshotList = Static<typeof snapshotListSchema>;

/** Addresses of smart functions. */
export const SMART_FUNCTION_FORM = "^KT1[1-9A-HJ-NP-Za-km-z]{33}$";
export const takeStoreSchema = Type.Object({
  from: Type.String({
    pattern: SMART_FUNCTION_FORM,
    description: "The smart function that loses its store.",
  }),
});
export type TakeStore = Static<typeof takeStoreSchema>;

export const takenStoreSchema = Type.Object({
  values: Type.Integer({ description: "Number of values moved." }),
});
export type TakenStore = Static<typeof takenStoreSchema>;

export const storedValueSchema = Type.Object({
  key: Type.String({ maxLength: 196 }),
  value: Type.Union([Type.String(), Type.Null()], { description: "JSON text; null deletes the value." }),
});
export type StoredValue = Static<typeof storedValueSchema>;

export const replacedValueSchema = Type.Object({
  before: Type.Union([Type.String(), Type.Null()], { description: "The JSON text that was replaced." }),
});
export type ReplacedValue = Static<typeof replacedValueSchema>;

/** Events of `GET /events`, by name. The data of each is one JSON object. */
export interface SandboxEvents {
  /** State of a part changed. */
  part: HealthReport["parts"][number];
  /** State of the whole sandbox changed. */
  status: { readonly status: HealthReport["status"] };
  /** A new layer 1 block. */
  head: { readonly level: number; readonly hash: string; readonly timestamp: string };
  /** Balances of bootstrap accounts that changed. */
  balances: AccountsReport;
  /** The bridge credited a runtime account. */
  deposit: DepositEvent;
  /** The runtime finished an operation. */
  operation: OperationEvent;
  /** A snapshot was taken, or both layers are back in its state. */
  snapshot: SnapshotReport & { readonly action: "taken" | "restored" };
  /** The owner changed the store of a function by hand: the value of a key, or all (null). */
  store: { readonly address: string; readonly key: string | null };
}
export type SandboxEventName = keyof SandboxEvents;
