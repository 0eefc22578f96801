// The tools for language models, called as the editor calls them. In its own tests the editor confirms automatically;
// the questions are tested in extension/editor/language-model-tools.test.ts.
import { ok as assert, deepEqual, equal, match, rejects } from "node:assert/strict";
import * as vscode from "vscode";
import { editorTools } from "../../../daemon/protocol/agent-tools.ts";
import { api, test, until } from "./host-test.ts";

/** Result of a tool. */
async function invoke<T>(name: string, input: object = {}): Promise<T> {
  const result = await vscode.lm.invokeTool(name, { input, toolInvocationToken: undefined });
  const [part] = result.content;
  assert(part instanceof vscode.LanguageModelTextPart);
  return JSON.parse(part.value) as T;
}

test("lists its tools for language models, with descriptions and parameters", async () => {
  const tools = vscode.lm.tools.filter(({ name }) => name.startsWith("functez_"));
  deepEqual(
    tools.map(({ name }) => name).sort(),
    editorTools()
      .map(([name]) => name)
      .sort(),
  );
  for (const { name, description, inputSchema } of tools) {
    assert(description.length > 20, name);
    assert(inputSchema, name);
  }
});

test("a language model sees state and accounts", async () => {
  const status = await invoke<{ state: string; sandbox: { runtime: string }; parts: unknown[] }>(
    "functez_status",
  );
  equal(status.state, "running");
  match(status.sandbox.runtime, /^http:\/\/127/);
  const accounts = await invoke<{
    bootstrap: { label: string }[];
    own: { alias: string }[];
    signsWith: string;
  }>("functez_accounts");
  equal(accounts.bootstrap.length, 6);
  equal(accounts.signsWith, "alice");
});

test("a language model deposits, deploys and calls", async () => {
  const before = api().session.operations.length;
  await invoke("functez_deposit", { from: "bootstrap4", to: "alice", amount: 7.25 });
  await until("the deposit", () => api().session.operations.length > before);
  const deployed = await invoke<{ address: string }>("functez_deploy", {
    file: "counter/index.ts",
    alias: "tool",
  });
  match(deployed.address, /^KT1/);
  const called = await invoke<{ statusCode: number; body: unknown }>("functez_call", {
    url: "jstz://tool/increment",
  });
  equal(called.statusCode, 200);
});

test("a language model gets the last failure", async () => {
  const called = await invoke<{ statusCode: number }>("functez_call", {
    url: "jstz://tool/nowhere",
    method: "PUT",
  });
  assert(called.statusCode >= 400, String(called.statusCode));
  const failure = await until("the failure", async () => {
    const found = await invoke<{ operation?: { statusCode: number }; tree?: string }>(
      "functez_explain_failure",
    );
    return found.operation ? found : undefined;
  });
  equal(failure.operation?.statusCode, called.statusCode);
  assert(failure.tree, "with its call tree");
});

test("a language model that calls a tool wrongly learns what to do", async () => {
  await rejects(invoke("functez_deposit", { from: "bootstrap4", to: "alice" }), /again with "amount"/);
  await rejects(
    invoke("functez_deposit", { from: "bootstrap4", to: "alice", amount: "1000000" }),
    /INSUFFICIENT_BALANCE.*smaller amount/s,
  );
  await rejects(
    invoke("functez_deposit", { from: "bootstrap4", to: "tz1x", amount: "1" }),
    /BAD_ADDRESS|UNKNOWN_ALIAS/,
  );
  await rejects(invoke("functez_deploy", { file: "nowhere.ts", alias: "nothing" }), /FILE_UNREADABLE/);
  await rejects(invoke("functez_call", { url: "jstz://nobody/" }), /UNKNOWN_ALIAS|BAD_ADDRESS/);
});
