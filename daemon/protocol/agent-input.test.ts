import { expect, it } from "vitest";
import { agentInput, missingInput } from "./agent-input.ts";
import { AGENT_TOOLS, type AgentTool, agentTools, inputSchema, outputSchema } from "./agent-tools.ts";
import { isError } from "./errors.ts";

const { functez_deposit: deposit, functez_operations: operations, functez_logs: logs } = AGENT_TOOLS;

function placeOf(tool: AgentTool, given: unknown): unknown {
  try {
    return agentInput("tool", tool, given);
  } catch (error) {
    return isError(error, "BAD_TOOL_INPUT") ? (error.data.parameter ?? "all") : error;
  }
}

it("takes texts as they are, and numbers where models send them for texts", () => {
  expect(placeOf(deposit, { from: "bootstrap1", to: " a ", amount: 2.5 })).toEqual({
    from: "bootstrap1",
    to: " a ",
    amount: "2.5",
  });
  expect(placeOf(operations, undefined)).toEqual({});
  expect(placeOf(operations, { limit: 3, failed: true })).toEqual({ limit: 3, failed: true });
});

it.each([
  [deposit, [], "all"],
  [deposit, null, "all"],
  [deposit, "x", "all"],
  [deposit, { from: "a", to: "b" }, "amount"],
  [deposit, { from: "a", to: "b", amount: "" }, "amount"],
  [deposit, { from: "a", to: ["b"], amount: "1" }, "to"],
  [deposit, { from: "a", to: "b", amount: "1", gas: 1 }, "gas"],
  [deposit, JSON.parse('{"__proto__": 1}'), "__proto__"],
  [operations, { limit: 0 }, "limit"],
  [operations, { limit: 1.5 }, "limit"],
  [operations, { limit: "3" }, "limit"],
  [operations, { failed: "true" }, "failed"],
  [logs, { function: "a", level: "info" }, "level"],
])("refuses wrong arguments, and names the parameter: %#", (tool, given, place) => {
  expect(placeOf(tool, given)).toBe(place);
});

it("refuses a text with a private key, and does not repeat it", () => {
  const { functez_call: call } = AGENT_TOOLS;
  const key = `-----BEGIN OPENSSH PRIVATE KEY-----\n${"b3BlbnNzaC1rZXktdjEA".repeat(4)}`;
  for (const input of [{ url: "echo/", body: JSON.stringify({ key }) }, { url: `echo/?${key}` }]) {
    const refused = expect.objectContaining({
      code: "BAD_TOOL_INPUT",
      message: expect.not.stringContaining("b3Blbn"),
    });
    expect(() => agentInput("functez_call", call, input)).toThrow(refused);
  }
});

it("names what is missing", () => {
  expect(missingInput(deposit, { from: " ", amount: 5 })).toEqual(["from", "to"]);
  expect(missingInput(operations, undefined)).toEqual([]);
});

it("describes every tool in full: parameters, results, effect", () => {
  for (const [name, tool] of agentTools()) {
    expect(name).toMatch(/^functez_[a-z_]{1,50}$/);
    expect(Object.keys(tool.parameters)).toEqual(expect.arrayContaining([...tool.required]));
    expect(Object.keys(tool.results)).toEqual(expect.arrayContaining([...tool.always]));
    expect(inputSchema(tool)).toMatchObject({ type: "object", required: tool.required });
    const always = tool.hasGuestText ? ["notice", ...tool.always] : tool.always;
    expect(outputSchema(tool)).toMatchObject({ type: "object", required: always });
    expect(tool.description).toMatch(/\.$/);
  }
});
