// Loops over Michelson instructions with small arguments and with the largest that gas permits repeatedly, for measuring
// the interpreter's speed. Each body preserves the stack types.

export interface Loop {
  /** Code that runs once, before the loop. */
  readonly start: string;
  readonly body: string;
}

const bytes = (size: number): string => `PUSH bytes 0x${"5c".repeat(size)}`;
const nat = (size: number, byte = "a7"): string => `PUSH bytes 0x${byte.repeat(size)}; NAT`;
const int = (size: number): string => `PUSH bytes 0x${"a7".repeat(size)}; INT`;
const text = (size: number): string => `PUSH string "${"a".repeat(size)}"`;
const times = (count: number, code: string): string => Array<string>(count).fill(code).join("; ");

/** Counts down to one, running `code` below the counter. */
const counting = (size: number, code: string): string =>
  `PUSH int ${size}; DUP; GT; LOOP { DUP; DIP { ${code} }; PUSH int -1; ADD; DUP; GT }; DROP`;
const list = (size: number): string => `NIL int; ${counting(size, "CONS")}`;
const set = (size: number): string => `EMPTY_SET int; ${counting(size, "PUSH bool True; SWAP; UPDATE")}`;
const map = (size: number, empty = "EMPTY_MAP"): string =>
  `${empty} int int; ${counting(size, "DUP; SOME; SWAP; UPDATE")}`;
/** A map whose keys are long and differ only at the end. */
const longKeys = (size: number): string =>
  `EMPTY_MAP (pair bytes int) int; ${counting(size, `${bytes(2_000)}; PAIR; PUSH (option int) (Some 1); SWAP; UPDATE`)}`;

const KEY = 'PUSH key "edpkuBknW28nW72KG6RoHtYW7p12T6GKc7nAbwYX5m8Wd9sDVC9yav"';
const P256_KEY = 'PUSH key "p2pk66xmhjiN7LpfrDGFwpxPtJxkLtPjQ6HUxJbKmRbxSR7RMpamDwi"';
const SECP_KEY = 'PUSH key "sppk7bMuoa8w2LSKz3XEuPsKx1WavsMLCWgbWG9CZNAsJg9eTmkXRPd"';
const KEY_HASH = 'PUSH key_hash "tz1KqTpEZ7Yob7QbPE4Hy4Wo8fHG8LhKxZSx"';
const ADDRESS = 'PUSH address "KT18amZmM5W7qDWVt2pH6uj7sCEd3kbzLrHT"';
const SIGNATURE =
  'PUSH signature "edsigthTzJ8X7MPmNeEwybRAvdxS1pupqcM5Mk4uCuyZAe7uEk68YpuGDeViW8wSXMrCi5CwoNgqs8V2w8ayB5dMJzrYCHhD8C7"';
const G1 =
  "PUSH bls12_381_g1 0x0572cbea904d67468808c8eb50a9450c9721db309128012543902d0ac358a62ae28f75bb8f1c7c42c39a8c5529bf0f4e166a9d8cabc673a322fda673779d8e3822ba3ecb8670e461f73bb9021d5fd76a4c56d9d4cd16bd1bba86881979749d28";
const G2 =
  "PUSH bls12_381_g2 0x0a4edef9c1ed7f729f520e47730a124fd70662a904ba1074728114d1031e1572c6c886f6b57ec72a6178288c47c335771638533957d540a9d2370f17cc7ed5863bc0b995b8825e0ee1ea1e1e4d00dbae81f14b0bf3611b78c952aacab827a0530f6d4552fa65dd2638b361543f887136a43253d9c66c411697003f7a13c308f5422e1aa0a59c8967acdefd8b6e36ccf30468fb440d82b0630aeb8dca2b5256789a66da69bf91009cbfe6bd221e47aa8ae88dece9764bf3bd999d95d71e4c9899";
const FR = "PUSH bls12_381_fr 0x52".concat("3f".repeat(31));
const BLS_KEY = 'PUSH key "BLpk1uUYc54VWmZ3Qgt4jmKDyDMSCq3VMDmNYrnV86U1T7ZbTms7NVLKD9T1qFfWPWM7mBuYa9uy"';
const BLS_SIGNATURE =
  'PUSH signature "BLsig9bqYf2G7rW74c8zwFUbFbbRvAJWBEn4gS8Shu85kKg38xTqRDzyZ1fP4FDMbbdFE5MkRYK5ByDnHzKH783Qu8xMBATp7UhFVnTQF4Jg1nAwYV9soT5ktcL9VnbRu1DsXF8sMktJn1"';
const comb = (size: number): string => `${times(size, "UNIT")}; PAIR ${size}`;

/** Keys of big maps: their type, and code that makes one. */
const BIG_MAP_KEYS = new Map([
  ["unit", ["unit", "UNIT"]],
  ["bytes", ["bytes", bytes(32)]],
  ["string", ["string", text(1_000)]],
  ["int", ["int", int(64)]],
  ["address", ["address", ADDRESS]],
  ["key", ["key", KEY]],
  ["signature", ["signature", SIGNATURE]],
  ["pair", ["(pair address nat)", `PUSH nat 5; ${ADDRESS}; PAIR`]],
  ["comb", [`(pair ${times(60, "unit").replaceAll(";", "")})`, comb(60)]],
]);

const loop = (start: string, body: string): Loop => ({ start, body });
/** Loop of an instruction that takes two values and leaves one. */
const two = (start: string, code: string): Loop => loop(start, `DUP 2; DUP 2; ${code}; DROP`);
/** Loop of an instruction that takes one value and leaves one. */
const one = (start: string, code: string): Loop => loop(start, `DUP; ${code}; DROP`);
const none = (code: string, left = 1): Loop => loop("UNIT", `${code}; DROP ${left}`);

/** Sizes in bytes: of numbers, and of texts and bytes. */
const NUMBERS = [1, 8, 64, 512, 8_700];
/** Sizes of dividends and divisors. */
const DIVISIONS = [
  [8, 4],
  [64, 32],
  [512, 256],
  [1_000, 900],
  [4_300, 2_150],
  [4_300, 4_000],
  [8_700, 1_000],
  [8_700, 4_350],
  [8_700, 8_000],
] as const;
const SHORT_LENGTHS = [1, 64, 65, 128, 200, 400];
const LENGTHS = [0, 32, 1_000, 20_000, 200_000];
const COLLECTIONS = [1, 100, 5_000];

const lambdaWith = (size: number): string =>
  `LAMBDA unit int { DROP; PUSH int ${(1n << BigInt(8 * size)) - 1n} }`;

const loopsOfSizes = (
  sizes: readonly number[],
  name: string,
  of: (size: number) => Loop,
): readonly [string, Loop][] => sizes.map((size) => [`${name} of ${size}`, of(size)]);
const byDoubling = (size: number, make: (size: number) => string): string => {
  // Too long for a literal: built by repeated doubling.
  const doublings = size > 20_000 ? Math.ceil(Math.log2(size / 20_000)) : 0;
  return `${make(Math.floor(size / 2 ** doublings))}; ${times(doublings, "DUP; CONCAT")}`.replace(/; $/, "");
};
const longBytes = (size: number): string => byDoubling(size, bytes);
const longText = (size: number): string => byDoubling(size, text);

export const INSTRUCTION_LOOPS: ReadonlyMap<string, Loop> = new Map<string, Loop>([
  ...["ADD", "SUB", "MUL", "COMPARE", "EDIV"].flatMap((name) =>
    loopsOfSizes(NUMBERS, `${name} (int)`, (size) => two(`${int(size)}; ${int(size)}`, name)),
  ),
  ...DIVISIONS.map(([dividend, divisor]): [string, Loop] => [
    `EDIV of ${dividend} by ${divisor}`,
    two(`${nat(divisor, "6d")}; ${nat(dividend)}`, "EDIV"),
  ]),
  ...["AND", "OR", "XOR"].flatMap((name) => [
    ...loopsOfSizes(NUMBERS, `${name} (nat)`, (size) => two(`${nat(size)}; ${nat(size)}`, name)),
    ...loopsOfSizes(LENGTHS, `${name} (bytes)`, (size) =>
      two(`${longBytes(size)}; ${longBytes(size)}`, name),
    ),
  ]),
  ...loopsOfSizes(NUMBERS, "LSL", (size) => two(`PUSH nat 250; ${nat(size)}`, "LSL")),
  ...loopsOfSizes(NUMBERS, "LSR", (size) => two(`PUSH nat 250; ${nat(size)}`, "LSR")),
  // Values that instructions write as expressions, in which a long number is a long text.
  ...loopsOfSizes(NUMBERS, "APPLY (int)", (size) =>
    loop(`${int(size)}; LAMBDA (pair int unit) unit { CDR }`, "DUP; DUP 3; APPLY; DROP"),
  ),
  ...loopsOfSizes(NUMBERS, "EMIT (int)", (size) => loop(int(size), "DUP; EMIT %x int; DROP")),
  ...loopsOfSizes(NUMBERS, "TRANSFER_TOKENS (int)", (size) =>
    loop(
      int(size),
      `${ADDRESS}; CONTRACT int; IF_NONE { UNIT; FAILWITH } {}; PUSH mutez 0; DUP 3; TRANSFER_TOKENS; DROP`,
    ),
  ),
  ...loopsOfSizes(NUMBERS, "CREATE_CONTRACT (int)", (size) =>
    loop(
      int(size),
      "DUP; PUSH mutez 0; NONE key_hash; CREATE_CONTRACT { parameter unit; storage int; code { CDR; NIL operation; PAIR } }; DROP 2",
    ),
  ),
  ...loopsOfSizes([8, 512, 4_300], "PACK (lambda) with a number", (size) => one(lambdaWith(size), "PACK")),
  ...loopsOfSizes([8, 512, 4_300], "UNPACK (lambda) with a number", (size) =>
    one(`${lambdaWith(size)}; PACK`, "UNPACK (lambda unit int)"),
  ),
  ...loopsOfSizes(LENGTHS, "LSL (bytes)", (size) => two(`PUSH nat 13; ${longBytes(size)}`, "LSL")),
  ...loopsOfSizes(LENGTHS, "LSR (bytes)", (size) => two(`PUSH nat 13; ${longBytes(size)}`, "LSR")),
  ...["NOT", "NEG", "ABS", "ISNAT", "EQ", "NEQ", "LT", "GT", "LE", "GE", "BYTES"].flatMap((name) =>
    loopsOfSizes(NUMBERS, name, (size) => one(int(size), name)),
  ),
  ...loopsOfSizes(LENGTHS, "NOT (bytes)", (size) => one(longBytes(size), "NOT")),
  ...loopsOfSizes(NUMBERS, "NAT", (size) => one(bytes(size), "NAT")),
  ...loopsOfSizes(NUMBERS, "INT (bytes)", (size) => one(bytes(size), "INT")),
  ["INT", one("PUSH nat 5", "INT")],
  ["SUB_MUTEZ", two("PUSH mutez 5; PUSH mutez 7", "SUB_MUTEZ")],
  ["ADD (mutez)", two("PUSH mutez 5; PUSH mutez 7", "ADD")],
  ["MUL (mutez)", two("PUSH mutez 5; PUSH nat 7", "MUL")],
  ["EDIV (mutez)", two("PUSH mutez 5; PUSH mutez 7", "EDIV")],
  ["AND (bool)", two("PUSH bool True; PUSH bool False", "AND")],
  ["XOR (bool)", two("PUSH bool True; PUSH bool False", "XOR")],
  ...loopsOfSizes(LENGTHS, "CONCAT", (size) =>
    two(`${longBytes(size / 2)}; ${longBytes(size / 2)}`, "CONCAT"),
  ),
  ...loopsOfSizes(LENGTHS, "CONCAT (string)", (size) =>
    two(`${longText(size / 2)}; ${longText(size / 2)}`, "CONCAT"),
  ),
  ...loopsOfSizes([1, 100, 1_000], "CONCAT (list)", (size) =>
    one(
      `NIL bytes; PUSH int ${size}; DUP; GT; LOOP { DIP { ${bytes(40)}; CONS }; PUSH int -1; ADD; DUP; GT }; DROP`,
      "CONCAT",
    ),
  ),
  ...loopsOfSizes(LENGTHS.slice(1), "SLICE", (size) =>
    loop(longBytes(size), `DUP; PUSH nat ${Math.floor(size / 2)}; PUSH nat 3; SLICE; DROP`),
  ),
  ...loopsOfSizes(LENGTHS.slice(1), "SLICE (string)", (size) =>
    loop(longText(size), `DUP; PUSH nat ${Math.floor(size / 2)}; PUSH nat 3; SLICE; DROP`),
  ),
  ...loopsOfSizes(LENGTHS, "SIZE (bytes)", (size) => one(longBytes(size), "SIZE")),
  ...loopsOfSizes(LENGTHS, "COMPARE (bytes)", (size) =>
    two(`${longBytes(size)}; ${longBytes(size)}`, "COMPARE"),
  ),
  ...loopsOfSizes(LENGTHS, "COMPARE (string)", (size) =>
    two(`${longText(size)}; ${longText(size)}`, "COMPARE"),
  ),
  ["COMPARE (key)", two(`${P256_KEY}; ${P256_KEY}`, "COMPARE")],
  ["COMPARE (address)", two(`${ADDRESS}; ${ADDRESS}`, "COMPARE")],
  ["COMPARE (signature)", two(`${SIGNATURE}; ${SIGNATURE}`, "COMPARE")],
  ["COMPARE (comb)", two(`${comb(60)}; ${comb(60)}`, "COMPARE")],
  ...["BLAKE2B", "SHA256", "SHA512", "SHA3", "KECCAK"].flatMap((name) =>
    loopsOfSizes([...SHORT_LENGTHS, ...LENGTHS], name, (size) => one(longBytes(size), name)),
  ),
  ...loopsOfSizes(LENGTHS, "PACK", (size) => one(longBytes(size), "PACK")),
  ...loopsOfSizes(COLLECTIONS, "PACK (list)", (size) => one(list(size), "PACK")),
  ...loopsOfSizes(COLLECTIONS, "PACK (map)", (size) => one(map(size), "PACK")),
  ...loopsOfSizes(NUMBERS, "PACK (int)", (size) => one(int(size), "PACK")),
  ["PACK (address)", one(ADDRESS, "PACK")],
  ["PACK (key)", one(KEY, "PACK")],
  ["PACK (lambda)", one(`LAMBDA int int { ${times(200, "PUSH int 5; ADD")} }`, "PACK")],
  ...loopsOfSizes(LENGTHS, "UNPACK", (size) => one(`${longBytes(size)}; PACK`, "UNPACK bytes")),
  ...loopsOfSizes(COLLECTIONS, "UNPACK (list)", (size) => one(`${list(size)}; PACK`, "UNPACK (list int)")),
  ...loopsOfSizes(COLLECTIONS, "UNPACK (map)", (size) => one(`${map(size)}; PACK`, "UNPACK (map int int)")),
  ...loopsOfSizes(NUMBERS, "UNPACK (int)", (size) => one(`${int(size)}; PACK`, "UNPACK int")),
  ["UNPACK (nothing)", one(bytes(2_000), "UNPACK int")],
  ["UNPACK (key)", one(`${SECP_KEY}; PACK`, "UNPACK key")],
  ["UNPACK (signature)", one(`${SIGNATURE}; PACK`, "UNPACK signature")],
  ["UNPACK (address)", one(`${ADDRESS}; PACK`, "UNPACK address")],
  [
    "UNPACK (lambda)",
    one(`LAMBDA int int { ${times(200, "PUSH int 5; ADD")} }; PACK`, "UNPACK (lambda int int)"),
  ],
  ["HASH_KEY", one(KEY, "HASH_KEY")],
  ...loopsOfSizes(LENGTHS.slice(0, 4), "CHECK_SIGNATURE", (size) =>
    loop(`${longBytes(size)}; ${SIGNATURE}; ${SECP_KEY}`, "DUP 3; DUP 3; DUP 3; CHECK_SIGNATURE; DROP"),
  ),
  [
    "CHECK_SIGNATURE (P-256)",
    loop(`${bytes(32)}; ${SIGNATURE}; ${P256_KEY}`, "DUP 3; DUP 3; DUP 3; CHECK_SIGNATURE; DROP"),
  ],
  [
    "CHECK_SIGNATURE (Ed25519)",
    loop(`${bytes(32)}; ${SIGNATURE}; ${KEY}`, "DUP 3; DUP 3; DUP 3; CHECK_SIGNATURE; DROP"),
  ],
  [
    "CHECK_SIGNATURE (BLS)",
    loop(`${bytes(32)}; ${BLS_SIGNATURE}; ${BLS_KEY}`, "DUP 3; DUP 3; DUP 3; CHECK_SIGNATURE; DROP"),
  ],
  ["ADD (G1)", two(`${G1}; ${G1}`, "ADD")],
  ["ADD (G2)", two(`${G2}; ${G2}`, "ADD")],
  ["ADD (Fr)", two(`${FR}; ${FR}`, "ADD")],
  ["MUL (G1)", two(`${FR}; ${G1}`, "MUL")],
  ["MUL (G2)", two(`${FR}; ${G2}`, "MUL")],
  ["MUL (Fr)", two(`${FR}; ${FR}`, "MUL")],
  ["NEG (G1)", one(G1, "NEG")],
  ["NEG (G2)", one(G2, "NEG")],
  ["NEG (Fr)", one(FR, "NEG")],
  ["INT (Fr)", one(FR, "INT")],
  ["PAIRING_CHECK", one(`NIL (pair bls12_381_g1 bls12_381_g2); ${G2}; ${G1}; PAIR; CONS`, "PAIRING_CHECK")],
  ...loopsOfSizes([2, 20], "PAIRING_CHECK", (size) =>
    one(`NIL (pair bls12_381_g1 bls12_381_g2); ${times(size, `${G2}; ${G1}; PAIR; CONS`)}`, "PAIRING_CHECK"),
  ),
  ["PACK (G1)", one(G1, "PACK")],
  ["UNPACK (G1)", one(`${G1}; PACK`, "UNPACK bls12_381_g1")],
  ["UNPACK (G2)", one(`${G2}; PACK`, "UNPACK bls12_381_g2")],
  ...loopsOfSizes(COLLECTIONS, "GET (map)", (size) => two(`${map(size)}; PUSH int 7`, "GET")),
  ...loopsOfSizes(COLLECTIONS, "MEM (map)", (size) => two(`${map(size)}; PUSH int 7`, "MEM")),
  ...loopsOfSizes(COLLECTIONS, "MEM (set)", (size) => two(`${set(size)}; PUSH int 7`, "MEM")),
  ...loopsOfSizes(COLLECTIONS, "UPDATE (map)", (size) =>
    loop(map(size), "PUSH (option int) (Some 1); PUSH int 7; UPDATE"),
  ),
  ...loopsOfSizes(COLLECTIONS, "UPDATE (set)", (size) =>
    loop(set(size), "PUSH bool False; PUSH int 7; UPDATE; PUSH bool True; PUSH int 7; UPDATE"),
  ),
  ...loopsOfSizes(COLLECTIONS, "UPDATE (big_map)", (size) =>
    loop(map(size, "EMPTY_BIG_MAP"), "PUSH (option int) (Some 1); PUSH int 7; UPDATE"),
  ),
  ...loopsOfSizes(COLLECTIONS, "GET (big_map)", (size) =>
    two(`${map(size, "EMPTY_BIG_MAP")}; PUSH int 7`, "GET"),
  ),
  ...[...BIG_MAP_KEYS].flatMap(([name, [type, key]]): [string, Loop][] => [
    [
      `UPDATE (big_map, ${name})`,
      loop(`${key}; EMPTY_BIG_MAP ${type} int`, "PUSH (option int) (Some 1); DUP 3; UPDATE"),
    ],
    [`GET (big_map, ${name})`, two(`EMPTY_BIG_MAP ${type} int; ${key}`, "GET")],
    [`MEM (big_map, ${name})`, two(`EMPTY_BIG_MAP ${type} int; ${key}`, "MEM")],
    [
      `GET_AND_UPDATE (big_map, ${name})`,
      loop(`${key}; EMPTY_BIG_MAP ${type} int`, "PUSH (option int) (Some 1); DUP 3; GET_AND_UPDATE; DROP"),
    ],
  ]),
  ...loopsOfSizes([1, 100, 500], "GET (long keys)", (size) =>
    two(`${longKeys(size)}; PUSH int 7; ${bytes(2_000)}; PAIR`, "GET"),
  ),
  ...loopsOfSizes(COLLECTIONS, "GET_AND_UPDATE", (size) =>
    loop(map(size), "PUSH (option int) (Some 1); PUSH int 7; GET_AND_UPDATE; DROP"),
  ),
  ...loopsOfSizes(COLLECTIONS, "SIZE (map)", (size) => one(map(size), "SIZE")),
  ...loopsOfSizes(COLLECTIONS, "SIZE (list)", (size) => one(list(size), "SIZE")),
  ...loopsOfSizes(COLLECTIONS, "MAP (list)", (size) => loop(list(size), "MAP {}")),
  ...loopsOfSizes(COLLECTIONS, "MAP (map)", (size) => loop(map(size), "MAP { CDR }")),
  ["MAP (option)", loop("PUSH (option int) (Some 1)", "MAP {}")],
  ...loopsOfSizes(COLLECTIONS, "ITER (list)", (size) => loop(list(size), "DUP; ITER { DROP }")),
  ...loopsOfSizes(COLLECTIONS, "ITER (set)", (size) => loop(set(size), "DUP; ITER { DROP }")),
  ...loopsOfSizes(COLLECTIONS, "ITER (map)", (size) => loop(map(size), "DUP; ITER { DROP }")),
  ["CONS", loop("NIL int", "DROP; NIL int; PUSH int 1; CONS")],
  ["IF_CONS", loop(list(5), "DUP; IF_CONS { DROP 2 } {}")],
  ["IF_NONE", loop("PUSH (option int) (Some 1)", "DUP; IF_NONE {} { DROP }")],
  ["IF_LEFT", loop("PUSH (or int int) (Left 1)", "DUP; IF_LEFT { DROP } { DROP }")],
  ["IF", loop("PUSH bool True", "DUP; IF {} {}")],
  ["LOOP", loop("PUSH bool False", "DUP; LOOP { PUSH bool False }")],
  ["LOOP_LEFT", loop("PUSH int 1", "LEFT int; LOOP_LEFT { RIGHT int }")],
  ["DIP", loop("UNIT; UNIT", "DIP {}")],
  ["DIP 200", loop(times(200, "UNIT"), "DIP 200 {}")],
  ["DIG", loop(times(1_000, "UNIT"), "DIG 999; DUG 999")],
  ["DUP 1000", loop(times(1_000, "UNIT"), "DUP 1000; DROP")],
  ["DROP 500", loop("UNIT", `${times(500, "UNIT")}; DROP 500`)],
  ["SWAP", loop("UNIT; UNIT", "SWAP")],
  ["PUSH", none("PUSH int 5")],
  ["UNIT", none("UNIT")],
  ["PAIR, CAR, CDR", loop("UNIT", "UNIT; PAIR; DUP; CAR; DROP; CDR")],
  ["PAIR and UNPAIR", loop("UNIT; UNIT", "PAIR; UNPAIR")],
  ["PAIR 200 and UNPAIR 200", loop(times(200, "UNIT"), "PAIR 200; UNPAIR 200")],
  ["GET 200", one(comb(200), "GET 200")],
  ["UPDATE 199", loop(comb(200), "UNIT; UPDATE 199")],
  ["SOME and NONE", none("PUSH int 1; SOME; DROP; NONE int")],
  ["LEFT and RIGHT", none("PUSH int 1; LEFT int; DROP; PUSH int 1; RIGHT int")],
  ["NIL", none("NIL int")],
  ["EMPTY_SET", none("EMPTY_SET int; EMPTY_MAP int int; EMPTY_BIG_MAP int int", 3)],
  ["CAST and RENAME", loop("UNIT", "CAST unit; RENAME @a")],
  ["LAMBDA", none("LAMBDA int int {}")],
  ["LAMBDA_REC", none("LAMBDA_REC int int { DIP { DROP } }")],
  ["EXEC", loop("LAMBDA int int {}; PUSH int 1", "DUP 2; SWAP; EXEC")],
  ["APPLY", loop("LAMBDA (pair int int) int { CAR }", "DUP; PUSH int 1; APPLY; DROP")],
  [
    "NOW, LEVEL, SENDER",
    none("NOW; LEVEL; SENDER; SOURCE; AMOUNT; BALANCE; CHAIN_ID; MIN_BLOCK_TIME; SELF_ADDRESS", 9),
  ],
  [
    "ADDRESS",
    loop(KEY_HASH, "DUP; IMPLICIT_ACCOUNT; ADDRESS; DUP; IS_IMPLICIT_ACCOUNT; DROP; CONTRACT unit; DROP"),
  ],
  ["SET_DELEGATE", none("NONE key_hash; SET_DELEGATE")],
  ["TRANSFER_TOKENS", loop(KEY_HASH, "DUP; IMPLICIT_ACCOUNT; PUSH mutez 1; UNIT; TRANSFER_TOKENS; DROP")],
  ...loopsOfSizes(LENGTHS, "EMIT", (size) => one(longBytes(size), "EMIT bytes")),
  [
    "CREATE_CONTRACT",
    none(
      "UNIT; PUSH mutez 1; NONE key_hash; CREATE_CONTRACT { parameter unit; storage unit; code { CDR; NIL operation; PAIR } }",
      2,
    ),
  ],
  ["VOTING_POWER", loop(KEY_HASH, "DUP; VOTING_POWER; TOTAL_VOTING_POWER; DROP 2")],
  ["INDEX_ADDRESS", loop(ADDRESS, "DUP; INDEX_ADDRESS; DROP; DUP; GET_ADDRESS_INDEX; DROP")],
  ["VIEW", loop(ADDRESS, 'DUP; UNIT; VIEW "a" unit; DROP')],
  ["TICKET", none("PUSH nat 5; PUSH int 1; TICKET")],
  [
    "READ_TICKET, SPLIT_TICKET, JOIN_TICKETS",
    loop(
      "PUSH nat 2; PUSH int 1; TICKET; IF_NONE { UNIT; FAILWITH } {}",
      "READ_TICKET; DROP; PUSH (pair nat nat) (Pair 1 1); SWAP; SPLIT_TICKET; IF_NONE { UNIT; FAILWITH } {}; JOIN_TICKETS; IF_NONE { UNIT; FAILWITH } {}",
    ),
  ],
]);
