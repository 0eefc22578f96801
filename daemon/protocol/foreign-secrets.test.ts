import { generateKeyPairSync } from "node:crypto";
import { describe, expect, it } from "vitest";
import { foreignSecretIn } from "./foreign-secrets.ts";

const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
const pkcs8 = privateKey.export({ type: "pkcs8", format: "pem" }) as string;
const sec1 = privateKey.export({ type: "sec1", format: "pem" }) as string;
const encrypted = [
  ...[
    "-----BEGIN RSA PRIVATE KEY-----",
    "Proc-Type: 4,ENCRYPTED",
    "DEK-Info: AES-128-CBC,0123456789ABCDEF",
    "",
  ],
  "A".repeat(64),
].join("\n");
const openSsh = `-----BEGIN OPENSSH PRIVATE KEY-----\n${"b3BlbnNzaC1rZXktdjEA".repeat(4)}`;

describe("a private key", () => {
  it.each<[string, string]>([
    ["as it is", pkcs8],
    ["of the older form", sec1],
    ["with the line ends of Windows", pkcs8.replaceAll("\n", "\r\n")],
    ["that is encrypted", encrypted],
    ["of OpenSSH", openSsh],
    ["in a string of code", `export const key = ${JSON.stringify(openSsh)};`],
    [
      "in lines of code",
      pkcs8
        .split("\n")
        .map((line) => JSON.stringify(line))
        .join(" +\n  "),
    ],
    ["as bytes, at the first place", Buffer.from(pkcs8).toString("base64")],
    ["as bytes, at the second place", Buffer.from(`x${openSsh}`).toString("base64")],
    ["as bytes, at the third place", `"${Buffer.from(`xy${encrypted}`).toString("base64")}"`],
  ])("is found %s", (_how, text) => {
    expect(foreignSecretIn(text)).toBe("a private key");
    expect(foreignSecretIn(`const before = 1; ${text} const after = 2;`)).toBe("a private key");
  });
});

describe("a token", () => {
  it.each([
    ["a token of a package registry", `//registry.example.com/:_authToken=${"0a1b2c3d-".repeat(4)}`],
    ["a token of a package registry", `const token = "npm_${"aB3".repeat(12)}";`],
    ["a token of GitHub", `GITHUB_TOKEN=ghp_${"aB3".repeat(12)}`],
    ["a token of GitHub", `x github_pat_${"aB3_".repeat(20)} y`],
  ])("is %s: %s", (what, text) => expect(foreignSecretIn(text)).toBe(what));
});

describe("no secret", () => {
  it.each([
    'if (text.startsWith("-----BEGIN PRIVATE KEY-----")) return read(text);',
    'const pem = `-----BEGIN PRIVATE KEY-----\\n${lines.join("\\n")}\\n-----END PRIVATE KEY-----`;',
    Buffer.from('"-----BEGIN PRIVATE KEY-----" is how it begins').toString("base64"),
    privateKey.export({ type: "pkcs8", format: "pem" }).toString().replaceAll("PRIVATE", "PUBLIC"),
    "//registry.example.com/:_authToken=${NPM_TOKEN}",
    "npm_config_registry ghp_short github_pat_",
  ])("is %s", (text) => expect(foreignSecretIn(text)).toBeUndefined());
});

it("takes linear time for any text", () => {
  const time = (text: string): number => {
    const start = performance.now();
    foreignSecretIn(text);
    return performance.now() - start;
  };
  for (const part of [
    "PRIVATE KEY-----",
    "PRIVATE KEY-----Comment:",
    ":_authToken ",
    "npm_aaaaaaaaa",
    "UFJJVkFURSBLRVktLS0t",
    "Hash: ",
  ])
    expect(time(part.repeat(1_000_000 / part.length))).toBeLessThan(500);
});
