// Scripts that try to run long for little gas or to grow without limit, for tests of the interpreter, the node and the
// whole daemon.
import { parseMichelineText } from "../../tezos/micheline-text.ts";
import type { Micheline } from "../../tezos/micheline.ts";

/** Repeats `body`, which must preserve the stack types left by `start`. */
const forever = (start: string, body: string, depth = 1): string =>
  `${start}; PUSH bool True; LOOP { ${body}; PUSH bool True }; DROP ${depth}`;

const BYTES_8K = `0x${"7f".repeat(8_000)}`;
const doublings = (count: number, instruction: string): string =>
  Array<string>(count).fill(instruction).join("; ");

/** The generators of both groups of BLS12-381, as they appear in code. */
export const G1_POINT =
  "17f1d3a73197d7942695638c4fa9ac0fc3688c4f9774b905a14e3a3f171bac586c55e83ff97a1aeffb3af00adb22c6bb" +
  "08b3f481e3aaa0f1a09e30ed741d8ae4fcf5e095d5d00af600db18cb2c04b3edd03cc744a2888ae40caa232946c5e7e1";
export const G2_POINT =
  "13e02b6052719f607dacd3a088274f65596bd0d09920b61ab5da61bbdc7f5049334cf11213945d57e5ac7d055d042b7e" +
  "024aa2b2f08f0a91260805272dc51051c6e47ad4fa403b02b4510b647ae3d1770bac0326a805bbefd48056c8c121bdb8" +
  "0606c4a02ea734cc32acd2b02bc28b99cb3e287e85a763af267492ab572e99ab3f370d275cec1da1aaa9075ff05f79be" +
  "0ce5d527727d6e118cc9cdc6da2e351aadfd9baa8cbdd3a76d429a695160d12c923ac9cc3baca289e193548608b82801";

/** Pushes the bytes of a list of G1 points that takes more than a second to unpack. */
const PACKED_POINTS = `PUSH bytes 0x0a00000060${G1_POINT}; ${doublings(11, "DUP; CONCAT")}; PUSH bytes 0x050200032800; CONCAT`;

/** By name: code that takes nothing from the stack and leaves nothing on it, if it ever ends. */
export const HOSTILE_CODE: Readonly<Record<string, string>> = {
  "points that are unpacked": forever(PACKED_POINTS, "DUP; UNPACK (list bls12_381_g1); DROP"),
  "set that grows": forever(
    "EMPTY_SET int; PUSH int 0",
    "PUSH int 1; ADD; DUP; DIP { PUSH bool True; SWAP; UPDATE }",
    2,
  ),
  "map that grows": forever(
    "PUSH int 0; EMPTY_MAP int int",
    "SWAP; PUSH int 1; ADD; DUP; DIP { SWAP }; DUP; SOME; SWAP; UPDATE",
    2,
  ),
  "big map that grows": forever(
    "PUSH int 0; EMPTY_BIG_MAP int int",
    "SWAP; PUSH int 1; ADD; DUP; DIP { SWAP }; DUP; SOME; SWAP; UPDATE",
    2,
  ),
  "map with long keys": forever(
    `PUSH bytes ${BYTES_8K}; PUSH int 0; EMPTY_MAP (pair bytes int) int`,
    "SWAP; PUSH int 1; ADD; DUP; DUP 4; PAIR; DIP { SWAP }; PUSH (option int) (Some 1); SWAP; UPDATE",
    3,
  ),
  "list that grows": forever("NIL int", "PUSH int 7; CONS"),
  "MAP over a list that grows": forever(
    "NIL int; PUSH int 1; CONS",
    "MAP { PUSH int 1; ADD }; PUSH int 2; CONS",
  ),
  "shift of bytes": forever(`PUSH bytes ${BYTES_8K}`, "PUSH nat 64000; SWAP; LSL; PUSH nat 64000; SWAP; LSR"),
  "shift of bytes that grow": forever("PUSH bytes 0x01", "PUSH nat 64000; SWAP; LSL"),
  "shift of numbers": forever("PUSH nat 1", "PUSH nat 256; SWAP; LSL"),
  "number from and to bytes": forever(`PUSH bytes ${BYTES_8K}`, "INT; BYTES"),
  "product that grows": forever("PUSH nat 3", "DUP; MUL"),
  "product of large numbers": forever(`PUSH bytes 0x${"7f".repeat(4_000)}; NAT`, "DUP; DUP; MUL; DROP"),
  "division of large numbers": forever(
    `PUSH bytes 0x${"a3".repeat(4_000)}; NAT; PUSH bytes ${BYTES_8K}; NAT`,
    "DUP 2; DUP 2; EDIV; DROP",
    2,
  ),
  "bits of large numbers": forever(`PUSH bytes ${BYTES_8K}; NAT`, "DUP; DUP; AND; DUP; OR; DUP; XOR; DROP"),
  "comparing large numbers": forever(`PUSH bytes ${BYTES_8K}; NAT`, "DUP; DUP; COMPARE; DROP"),
  "text that grows": forever('PUSH string "abcdefgh"', "DUP; CONCAT"),
  "texts of a list that grows": forever(
    'PUSH string "abcdefgh"',
    "DUP; NIL string; SWAP; CONS; SWAP; CONS; CONCAT",
  ),
  "texts that are kept": forever(
    `NIL bytes; PUSH bytes 0x${"00".repeat(2_000)}; ${doublings(7, "DUP; CONCAT")}`,
    "DUP; PUSH bytes 0x00; CONCAT; DIP { SWAP }; CONS; SWAP",
    2,
  ),
  "hash of bytes that grow": forever("PUSH bytes 0x00", "DUP; CONCAT; DUP; KECCAK; DROP"),
  "hashes of long bytes": forever(
    `PUSH bytes ${BYTES_8K}; ${doublings(5, "DUP; CONCAT")}`,
    "DUP; BLAKE2B; DROP; DUP; KECCAK; DROP; DUP; SHA512; DROP",
  ),
  "pack that grows": forever("PUSH bytes 0x00", "DUP; PAIR; PACK"),
  "pack of shared parts": forever(`PUSH bytes ${BYTES_8K}; ${doublings(4, "DUP; PAIR")}`, "DUP; PACK; DROP"),
  "pairs of pairs": `UNIT; ${doublings(20, "DUP; PAIR")}; DROP`,
  "options of options": `UNIT; ${doublings(1_900, "SOME")}; PACK; DROP`,
  "APPLY that nests": forever(
    "LAMBDA unit unit {}",
    "LAMBDA (pair (lambda unit unit) unit) unit { UNPAIR; SWAP; EXEC }; SWAP; APPLY",
  ),
  "APPLY that doubles": forever(
    "LAMBDA unit unit {}",
    "DUP; PAIR; LAMBDA (pair (pair (lambda unit unit) (lambda unit unit)) unit) unit { CDR }; SWAP; APPLY",
  ),
  "recursion without end": "UNIT; LAMBDA_REC unit unit { DUP; DIP { EXEC }; DROP }; SWAP; EXEC; DROP",
  "recursion that returns": `PUSH int 20000; LAMBDA_REC int int { DUP; GT; IF { PUSH int -1; ADD; EXEC } { DIP { DROP } } }; SWAP; EXEC; DROP`,
  "keys of signatures": forever(
    'PUSH key "sppk7bMuoa8w2LSKz3XEuPsKx1WavsMLCWgbWG9CZNAsJg9eTmkXRPd"; PUSH signature "edsigthTzJ8X7MPmNeEwybRAvdxS1pupqcM5Mk4uCuyZAe7uEk68YpuGDeViW8wSXMrCi5CwoNgqs8V2w8ayB5dMJzrYCHhD8C7"',
    "PUSH bytes 0x00; DUP 2; DUP 4; CHECK_SIGNATURE; DROP",
    2,
  ),
  "empty loop": forever("UNIT", "UNIT; DROP"),
};

/** A script that runs the code on every call. */
export const hostileScript = (code: string): Micheline =>
  parseMichelineText(`{ parameter unit; storage unit; code { CDR; ${code}; NIL operation; PAIR } }`);
