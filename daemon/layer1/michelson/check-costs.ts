// Milligas of checking code and types, of reading and writing values, and of serializing expressions.
// Forms and figures are those of the protocol: Octez, `Typechecking` and `Unparsing` of `michelson_v1_gas.ml`,
// `script_repr_costs_generated.ml`, `script_typed_ir_size_costs.ml`, `global_constants_costs_generated.ml`.

/** Per node of a type, per instruction or sequence of code, per node of data. */
export const CHECK_TYPE_NODE = 60;
export const CHECK_INSTRUCTION = 220;
export const CHECK_DATUM = 100;
/** Numeric arguments, such as the depth of DIG, by their value. */
export const proofCost = (count: number): number => 50 * count;
/** Comparison of two types, by the nodes of the smaller one. */
export const sameTypeCost = (nodes: number): number => 35 + 22 * nodes;
/** Check that a name or text is printable. */
export const printableCost = (length: number): number => 15 + 10 * length;
/** Per node of code, types and values whose size in memory is measured. */
export const MEASURE_NODE = 45;

const integerRoot = (size: number): number => Math.floor(Math.sqrt(size));

/** Reading leaves of data: readable form and stored form. */
export const READ_COSTS = {
  timestamp: (length: number) => {
    const work = integerRoot(length) * length;
    return 105 + (work >> 5) + (work >> 6);
  },
  key: { readable: 79_000, optimized: 74_000 },
  keyHash: { readable: 3_600, optimized: 60 },
  signature: { readable: 6_400, optimized: 40 },
  chainId: { readable: 1_600, optimized: 50 },
  g1: 54_600,
  g2: 69_000,
  fr: 120,
} as const;

/** Writing leaves of data. */
export const WRITE_COSTS = {
  timestamp: 820,
  key: { readable: 5_900, optimized: 455 },
  keyHash: { readable: 3_200, optimized: 80 },
  signature: { readable: 8_300, optimized: 55 },
  chainId: { readable: 1_800, optimized: 50 },
  g1: 3_200,
  g2: 3_900,
  fr: 80,
} as const;

/** Per node of data and of code that is unparsed; types by their nodes. */
export const WRITE_DATUM = 65;
export const WRITE_CODE_NODE = 115;
export const writeTypeCost = (nodes: number): number => Math.max(10, 20 * nodes);

/** Copying an expression without the locations of its nodes. */
export const stripCost = (nodes: number): number => Math.max(10, 51 * nodes);

/** The quantities that the cost of serializing an expression depends on. Annotations count as nodes and as texts. */
export interface ExpressionSize {
  readonly nodes: number;
  readonly numberBytes: number;
  readonly textBytes: number;
}

/** Expression to bytes. */
export const serializeCost = ({ nodes, numberBytes, textBytes }: ExpressionSize): number =>
  Math.max(10, 100 * nodes + 25 * numberBytes + 10 * textBytes);
/** Bytes to expression. */
export const deserializeCost = (bytes: number): number => Math.max(10, 20 * bytes);

/** Searching code for constants. */
export function expandCost(nodes: number): number {
  const work = (33 - Math.clz32(nodes + 1)) * nodes;
  return 100 + 4 * work + (work >> 1) + (work >> 2);
}
/** Per constant found. */
export const EXPAND_CONSTANT = 4_096;
/** Hashing an expression to register it as a constant. */
export const constantHashCost = (bytes: number): number => 200 + bytes + (bytes >> 2);
