import { describe, expect, it } from "vitest";
import { processorTime } from "../../test/support/processor-time.ts";
import { requestAt, requestLines, textOfRequest } from "./http-text.ts";

const none = () => undefined;
const FILE = `@host = counter
@path={{host}}/increment

# Adds one.
# @name add
# @tez 1.5
# @account alice
POST jstz://{{path}}
    ?by=1
    &times=2
Content-Type: application/json
// a comment among headers
X-Token: {{token}}

{
  "by": 1
}

### the second
GET https://example.com/

###
jstz://{{host}}/ HTTP/1.1
`;

describe("a file of requests", () => {
  it("has a place for each request to a smart function", () => {
    expect(requestLines(FILE)).toEqual([7, 22]);
  });

  it("yields method, address, headers, body and settings, with variables replaced", () => {
    const found = requestAt(FILE, 12, (name) => (name === "token" ? "abc" : undefined));
    expect(found).toEqual({
      request: {
        line: 7,
        name: "add",
        method: "POST",
        url: "jstz://counter/increment?by=1&times=2",
        headers: [
          ["Content-Type", "application/json"],
          ["X-Token", "abc"],
        ],
        body: '{\n  "by": 1\n}',
        tez: "1.5",
        gasLimit: undefined,
        account: "alice",
      },
    });
    expect(requestAt(FILE, 22, none)).toMatchObject({
      request: { method: "GET", url: "jstz://counter/", body: undefined },
    });
  });

  it.each([
    ["GET jstz://{{nobody}}/", "unknown-variable", 0, "{{nobody}}"],
    ["@a = {{b}}\n@b = {{a}}\nGET jstz://{{a}}/", "unknown-variable", 2, "{{a}}"],
    ["GET jstz://x/\nno header", "bad-header", 1, "no header"],
    ["GET jstz://x/ y z", "bad-request-line", 0, "GET jstz://x/ y z"],
    ["POST jstz://x/\n\n< ./secret.txt", "file-body", 2, "< ./secret.txt"],
  ])("reports the problem in %j", (text, code, line, found) => {
    const result = requestAt(text, 0, none);
    expect(result).toMatchObject({ problem: { code } });
    expect(result).toEqual({ problem: { code, line, found: expect.stringContaining(found) as string } });
  });

  it("without a request has none", () => {
    for (const text of ["", "# only\n# comments", "@a = 1", "###\n###"])
      expect(requestAt(text, 0, none)).toBeUndefined();
  });

  it("accepts CRLF", () => {
    const text = "POST jstz://x/\r\nA: b\r\n\r\none\r\ntwo\r\n";
    expect(requestAt(text, 0, none)).toMatchObject({ request: { headers: [["A", "b"]], body: "one\ntwo" } });
  });

  it("stops at variables that refer to each other", () => {
    const text = `@a = ${"{{a}}".repeat(100)}\nGET jstz://{{a}}/`;
    expect(requestAt(text, 0, none)).toMatchObject({ problem: { code: "unknown-variable", line: 1 } });
  });

  it("limits the length of all values together", () => {
    const text = `@a = ${"x".repeat(1_500_000)}\nPOST jstz://x/\n\n${"{{a}}".repeat(100)}`;
    expect(requestAt(text, 1, none)).toMatchObject({ problem: { code: "too-long", line: 3 } });
  });

  it.each(["@a = x", "# @name x", "GET jstz://x/\na: x", "GET jstz://x", "{{"])(
    "parses many spaces after %j in linear time",
    (start) => {
      const text = `${start}${" ".repeat(100_000)}y\nGET jstz://x/\n`;
      const started = processorTime();
      requestLines(text);
      requestAt(text, 0, none);
      expect(processorTime() - started).toBeLessThan(1_000);
    },
  );

  it("is parsed in linear time, whatever its content", () => {
    for (const part of ["{{", `{{${" ".repeat(242)}`, "@a", "# @name", "###\n", " ?", "a: b\n"]) {
      const started = processorTime();
      const text = part.repeat(Math.floor(1_000_000 / part.length));
      requestLines(text);
      requestAt(text, 0, none);
      expect(processorTime() - started).toBeLessThan(2_000);
    }
  });
});

it("writes a request that parses to the same", () => {
  const request = {
    ...{ name: undefined, method: "PUT", url: "jstz://a/b?c", headers: [["X-Y", "z"]] as const },
    ...{ body: '{"a":1}', tez: "0.5", gasLimit: "1000", account: "bob" },
  };
  expect(requestAt(textOfRequest(request), 0, none)).toEqual({ request: { ...request, line: 3 } });
});

it("joins a query of very many lines in linear time", () => {
  const started = processorTime();
  requestAt(`GET jstz://a/${"\n ?".repeat(600_000)}`, 0, () => undefined);
  expect(processorTime() - started).toBeLessThan(3_000); // about 100 ms; minutes when each line copies those before it
});
