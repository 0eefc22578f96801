// What the tests of a suite find: a sandbox that runs, and an account in use.
import { equal } from "node:assert/strict";
import * as vscode from "vscode";
import type { FunctezApi } from "../../../extension/extension.ts";
import { COMMANDS, EXTENSION_ID } from "../../../extension/ids.ts";
import { api, command, test } from "./host-test.ts";

test("starts a sandbox and creates an account, for a debugger", async () => {
  await vscode.extensions.getExtension<FunctezApi>(EXTENSION_ID)!.activate();
  await command(COMMANDS.start);
  equal(api().session.state.kind, "running");
  await command(COMMANDS.createAccount, "alice");
});
