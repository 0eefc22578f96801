// Requests as documents, and responses as they were sent.
import { ok as assert, deepEqual, equal } from "node:assert/strict";
import { writeFileSync } from "node:fs";
import * as vscode from "vscode";
import { createSandboxClient } from "../../../daemon/client/sandbox-client.ts";
import { findAdminSecret } from "../../../daemon/local/kept-secrets.ts";
import { COMMANDS, SCHEMES } from "../../../extension/ids.ts";
import type { TreeNode } from "../../../extension/views/tree.ts";
import { api, command, labels, newestDeploy, test, until, workspaceFile } from "./host-test.ts";

const ECHO = `
export default async (request: Request): Promise<Response> => {
  const { pathname } = new URL(request.url);
  if (pathname === "/numbers") return new Response('{"n":9007199254740993,"f":1.0}', { headers: { "content-type": "application/json" } });
  if (pathname === "/long") return new Response("aa" + "é".repeat(200_000));
  if (pathname === "/bytes") return new Response(Uint8Array.from([255, 0, 128]));
  console.info("echo", pathname);
  return new Response(await request.text(), { headers: { "x-token": request.headers.get("x-token") ?? "none" } });
};
`;

const textOf = async (uri: vscode.Uri): Promise<string> =>
  Buffer.from(await vscode.workspace.fs.readFile(uri)).toString("utf8");

/** The document of a response's look, by the name of its file. */
function shownResponse(name: string): vscode.Uri | undefined {
  return vscode.window.tabGroups.all
    .flatMap(({ tabs }) => tabs)
    .map(({ input }) => (input as { uri?: vscode.Uri } | undefined)?.uri)
    .findLast((uri) => uri?.scheme === "functez-response" && uri.path.endsWith(`/${name}`));
}

async function lensesOf(uri: vscode.Uri): Promise<vscode.CodeLens[]> {
  return until("lenses", async () => {
    const found = await command<vscode.CodeLens[]>("vscode.executeCodeLensProvider", uri);
    return found.length > 0 ? found : undefined;
  });
}

/** Sends the first request of a text, as the requests of `echo`. */
async function send(text: string): Promise<{ statusCode: number }> {
  const document = await requestsOf("echo");
  const edit = new vscode.WorkspaceEdit();
  edit.replace(document.uri, new vscode.Range(0, 0, document.lineCount, 0), text);
  await vscode.workspace.applyEdit(edit);
  const line = document
    .getText()
    .split("\n")
    .findIndex((each) => each.includes("jstz://"));
  const result = await command<{ statusCode: number }>(COMMANDS.sendRequest, document.uri, line);
  assert(result, "the request was sent");
  return result;
}

async function requestsOf(target: string): Promise<vscode.TextDocument> {
  await command(COMMANDS.call, target);
  return until("the requests", () =>
    vscode.workspace.textDocuments.find(({ uri }) => uri.toString() === `functez-request:/${target}.http`),
  );
}

test("calls a function by a document of requests, with Send above each", async () => {
  const uri = workspaceFile("echo.ts");
  writeFileSync(uri.fsPath, ECHO);
  const deployed = await command<{ address: string }>(COMMANDS.deploy, uri, "echo");
  assert(deployed?.address.startsWith("KT1"));
  const document = await requestsOf("echo");
  equal(document.languageId, "http");
  const lenses = await lensesOf(document.uri);
  deepEqual(
    lenses.map(({ command: lens }) => lens?.title.replace(/^\$\(\w+\) /, "")),
    ["Send", "Copy As…", "Send", "Copy As…"],
  );
  const sent = await send(
    "@token = abc\n# @tez 0\nPOST jstz://echo/a?b=1\nx-token: {{token}}\n\n@/etc/passwd\n",
  );
  equal(sent.statusCode, 200);
  const body = await until("the response", () => shownResponse("body.txt"));
  equal(await textOf(body), "@/etc/passwd");
  const looks = (await lensesOf(body)).map(({ command: lens }) => lens?.title ?? "");
  assert(/^\$\(pass\) 200 · [\d,]+ gas · [\d.]+ ms · 12 bytes$/.test(looks[0]!), looks.join());
  deepEqual(looks.slice(1), ["Headers", "Call Tree", "Log", "$(debug-alt) Debug"]);
});

test("says above the handler what is deployed, and whether the file has changed since", async () => {
  const uri = workspaceFile("echo.ts");
  const document = await vscode.workspace.openTextDocument(uri);
  await vscode.window.showTextDocument(document, vscode.ViewColumn.One);
  const titles = async () => (await lensesOf(uri)).map(({ command: lens }) => lens?.title ?? "");
  const before = await until("the deployed function", async () =>
    (await titles()).find((title) => title.startsWith("echo · KT1")),
  );
  assert(!before.includes("changed since"), before);
  const edit = new vscode.WorkspaceEdit();
  edit.insert(uri, new vscode.Position(0, 0), "// changed");
  await vscode.workspace.applyEdit(edit);
  assert((await titles()).some((title) => title.endsWith("changed since")));
  assert((await titles()).some((title) => title.endsWith("Redeploy")));
  await document.save();
});

test("shows bodies exactly as they were sent", async () => {
  await send("GET jstz://echo/numbers");
  const numbers = await until("JSON", () => shownResponse("body.json"));
  equal(await textOf(numbers), '{"n":9007199254740993,"f":1.0}');
  const pretty = (await lensesOf(numbers)).find(({ command: lens }) => lens?.title === "Pretty")!;
  const [look] = pretty.command!.arguments as [vscode.Uri];
  equal(await textOf(look), '{\n  "n": 9007199254740993,\n  "f": 1.0\n}\n');
  await send("GET jstz://echo/bytes");
  const hex = await until("hex", () => shownResponse("bytes.hex.txt"));
  assert((await textOf(hex)).startsWith("00000000  ff 00 80 "), await textOf(hex));
  await send("GET jstz://echo/long");
  const long = await until("a long text", () => shownResponse("body.txt"));
  equal(await textOf(long), `aa${"é".repeat(200_000)}`);
});

test("keeps requests, and repeats and edits earlier ones", async () => {
  await send("POST jstz://echo/again\n\nsame\n");
  const document = await requestsOf("echo");
  assert(document.getText().includes("jstz://echo/again"), document.getText());
  equal(document.isDirty, false);
  const before = api().session.operations.length;
  const operation = await until("the operation", () =>
    api().session.operations.find(
      ({ kind, data }) => kind === "operation" && data.operation === "RunFunction",
    ),
  );
  const shown = await until("the response", () => shownResponse("body.txt"));
  for (const of of [operation.data.hash, shown])
    equal((await command<{ statusCode: number }>(COMMANDS.runAgain, of)).statusCode, 200);
  await until("another operation", () => api().session.operations.length > before);
  await command(COMMANDS.editRequest, operation.data.hash);
  assert(
    /^POST jstz:\/\/echo\/again\n[^]*###[^]*jstz:\/\/echo\/again/.test(document.getText()),
    document.getText(),
  );
});

test("pays a withdrawal from the account that was clicked, and says who signs", async () => {
  await command(COMMANDS.createAccount, "bob");
  await command(COMMANDS.deposit, "bootstrap1", "bob", "10");
  await command(COMMANDS.useAccount, "alice");
  const amount = async (alias: string): Promise<string> =>
    (await labels("accounts")).find((label) => label.startsWith(`${alias} `)) ?? "";
  await until("bob's balance", async () => (await amount("bob")) === "bob 10 ꜩ");
  const [alice] = [await amount("alice")];
  assert(alice.endsWith("in use"), alice);
  const bob = ((await api().views.accounts.getChildren()) ?? []).find(({ label }) => label === "bob");
  let isDone = false;
  const withdrawal = command(COMMANDS.withdraw, bob, "bob", "4").then(() => (isDone = true));
  // It arrives when its commitment is cemented, so many blocks later.
  await until("the withdrawal", async () => {
    await command(COMMANDS.bakeBlock, 4);
    return isDone;
  });
  await withdrawal;
  await until("bob has paid", async () => (await amount("bob")) === "bob 6 ꜩ · 4 ꜩ on layer 1");
  equal(await amount("alice"), alice);
});

test("leads from the error of a call to its place in the source, and to nothing that a function made up", async () => {
  const uri = workspaceFile("failing.ts");
  writeFileSync(
    uri.fsPath,
    `interface Answer { readonly n: number }

export default (request: Request): Response => {
  const answer: Answer = { n: 1 };
  console.log("made-up.ts:1:1 /etc/passwd:1:1", new Error("logged"));
  throw new TypeError(\`no \${answer.n} for \${request.method}\`);
};
`,
  );
  await command(COMMANDS.deploy, uri, "failing");
  equal((await send("GET jstz://failing/")).statusCode, 500);
  const [problem] = await until("the error at its place", () => {
    const found = vscode.languages.getDiagnostics(uri).filter(({ source }) => source === "functez");
    return found.length > 0 ? found : undefined;
  });
  equal(problem!.range.start.line, 5);
  assert(problem!.message.startsWith("TypeError: no 1 for GET\n"), problem!.message);
  const body = await until("the response", () => shownResponse("body.json"));
  const place = (await lensesOf(body)).find(({ command: lens }) => lens?.title.includes("failing.ts:6:"));
  assert(place, "a lens leads to the place");
  const linksOf = async (document: vscode.Uri): Promise<string[]> => {
    await vscode.workspace.openTextDocument(document);
    const links = await command<vscode.DocumentLink[]>("vscode.executeLinkProvider", document);
    return links.map(
      ({ target }) => `${target?.path.split("/").at(-1)}#${target?.fragment.replace(/,\d+$/, "")}`,
    );
  };
  const looks = (await lensesOf(body)).flatMap(
    ({ command: lens }) =>
      (lens?.arguments?.[0] instanceof vscode.Uri ? [lens.arguments[0]] : []) as vscode.Uri[],
  );
  deepEqual(await linksOf(body), ["failing.ts#L6"]);
  deepEqual(await linksOf(looks.find(({ path }) => path.endsWith("log.txt"))!), ["failing.ts#L5"]);
  deepEqual((await linksOf(looks.find(({ path }) => path.endsWith("call-tree.txt"))!)).sort(), [
    "failing.ts#L5",
    "failing.ts#L6",
  ]);
  await send("GET jstz://echo/");
  deepEqual(vscode.languages.getDiagnostics(uri), []);
});

test("finds, copies, edits and deletes stored values", async () => {
  const uri = workspaceFile("stored.ts");
  writeFileSync(
    uri.fsPath,
    `export default (): Response => {
  Kv.set("list/a", ((Kv.get("list/a") as number | null) ?? 0) + 1);
  return Response.json(Kv.get("list/a"));
};
`,
  );
  await command(COMMANDS.deploy, uri, "stored");
  await send("GET jstz://stored/");
  const { functions } = api().views;
  const below = async (label: string, parent?: TreeNode) =>
    until(label, async () =>
      ((await functions.getChildren(parent)) ?? []).find((node) => node.label === label),
    );
  const store = await below("Key-value store", await below("stored"));
  equal(store.contextValue, "store");
  const storedNode = async () => below("a", await below("list", store));
  const node = await storedNode();
  equal(node.description, "1");
  await command(COMMANDS.copyKey, node);
  equal(await vscode.env.clipboard.readText(), "list/a");
  await command(COMMANDS.editStoredValue, node, "[41, 9007199254740993]", { confirm: false });
  await until(
    "the new value in the tree",
    async () => (await storedNode()).description === "[41,9007199254740993]",
  );
  await command(COMMANDS.copyStoredValue, node);
  equal(await vscode.env.clipboard.readText(), "[41,9007199254740993]");
  // What another window changes is shown too, in the tree and in an open document.
  const shown = vscode.Uri.from({ scheme: SCHEMES.value, path: `/${node.address}/list/a.json` });
  const document = await vscode.workspace.openTextDocument(shown);
  assert(document.getText().includes("9007199254740993"), document.getText());
  const { sandboxd } = api().session.sandbox!;
  const other = createSandboxClient(sandboxd, { adminSecret: () => findAdminSecret(sandboxd, process.env) });
  await other.editStore(node.address!, { key: "list/a", value: '"other"' });
  await until("the value of the other", async () => (await storedNode()).description === '"other"');
  await until("it in the document", () => document.getText() === '"other"');
  await command(COMMANDS.deleteStoredValue, node, { confirm: false });
  equal(await api().session.runtime()!.kv(node.address!, "list/a"), undefined);
});

test("shows operations with their gas, filters and clears them, and opens a call into what it did", async () => {
  await send("GET jstz://failing/");
  const { operations } = api().views;
  const rows = async (parent?: TreeNode) => (await operations.getChildren(parent)) ?? [];
  const [newest] = await until("gas in the row", async () => {
    const found = await rows();
    return / 500 · [\d,]+ gas · /.test(` ${found[0]?.description}`) ? found : undefined;
  });
  equal(newest!.label, "failing GET /");
  const did = await rows(newest);
  assert(did[0]!.label.startsWith("TypeError: no 1"), did[0]!.label);
  assert(/^failing\.ts:6:\d+$/.test(did[0]!.description ?? ""), did[0]!.description);
  equal(did[0]!.command?.command, "vscode.open");
  equal(did.at(-1)!.description, "info");
  await command(COMMANDS.filterOperations, { kind: "failed" });
  const failed = await rows();
  equal(failed[0]!.label, "Filter: failed");
  assert(failed.slice(1).every(({ icon }) => icon === "error"));
  await command(COMMANDS.filterOperations, { kind: "all" });
  // A name stays with its address, though the alias means another function after a redeploy.
  await command(COMMANDS.deploy, await change("failing.ts"));
  await until("the deploy", async () => (await rows())[0]!.label === "Deploy failing");
  assert((await rows()).some(({ label, value }) => label === "failing GET /" && value === newest!.value));
  await command(COMMANDS.clearOperations);
  equal((await rows()).length, 0);
  await send("GET jstz://echo/");
  await until("the next operation", async () => (await rows()).length === 1);
});

/** Makes a file new code, so that it gets another address. */
async function change(name: string): Promise<vscode.Uri> {
  const uri = workspaceFile(name);
  const text = await textOf(uri);
  writeFileSync(uri.fsPath, `${text}export const changed = true;\n`);
  const document = await vscode.workspace.openTextDocument(uri);
  await until("the changed text", () => document.getText().includes("changed = true"));
  return uri;
}

test("deploys a deployed file on each save while the switch is on", async () => {
  const settings = () => vscode.workspace.getConfiguration("functez").get<boolean>("deploy.onSave");
  await command(COMMANDS.toggleDeployOnSave);
  equal(settings(), true);
  const uri = workspaceFile("stored.ts");
  const document = await vscode.workspace.openTextDocument(uri);
  const save = async (line: string): Promise<void> => {
    const edit = new vscode.WorkspaceEdit();
    edit.insert(uri, new vscode.Position(document.lineCount, 0), line);
    await vscode.workspace.applyEdit(edit);
    assert(await document.save());
  };
  const before = newestDeploy();
  await save("// saved\n");
  await until("a deploy", () => newestDeploy() !== before);
  await command(COMMANDS.toggleDeployOnSave);
  equal(settings(), false);
  // Settles the deploys of the switch: the next one in the list is the one that is asked for.
  await save("export const saved = true;\n");
  const last = await command<{ address: string }>(COMMANDS.deploy, uri);
  const deploys = () =>
    api().session.operations.filter(
      ({ kind, data }) =>
        kind === "operation" && data.operation === "DeployFunction" && data.target === last.address,
    );
  await until("the last deploy", () => deploys().length > 0);
  equal(deploys().length, 1);
});

test("says that a file has type errors before it deploys it", async () => {
  const uri = workspaceFile("mistyped.ts");
  writeFileSync(uri.fsPath, 'export default (): Response => new Response("a" as unknown as number);\n');
  const document = await vscode.workspace.openTextDocument(uri);
  await vscode.window.showTextDocument(document, vscode.ViewColumn.One);
  await until("the type error", () =>
    vscode.languages.getDiagnostics(uri).some(({ source }) => source === "ts"),
  );
  await command("notifications.clearAll");
  const before = newestDeploy();
  const deploying = command(COMMANDS.deploy, uri, "mistyped");
  await until("the deploy after Deploy Anyway", async () => {
    await command("notifications.focusFirstToast");
    await command("notification.acceptPrimaryAction");
    return newestDeploy() !== before;
  });
  await deploying;
});
