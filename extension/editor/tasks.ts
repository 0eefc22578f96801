// Tasks of type `functez`: the bundled command line in the task terminal, its errors as problems. "functez: dev"
// deploys the open file on every save.
import * as vscode from "vscode";
import { PROBLEM_MATCHERS, TASK_TYPE } from "../ids.ts";
import { childEnvironment } from "../session/child-environment.ts";
import type { SandboxSession } from "../session/sandbox-session.ts";

interface FunctezTask extends vscode.TaskDefinition {
  /** Arguments of the command line, for example ["dev", "src/index.ts"]. */
  readonly args: readonly string[];
}

const OFFERED: readonly (readonly [name: string, args: readonly string[]])[] = [
  ["dev", ["dev", "${file}"]],
  ["deploy", ["deploy", "${file}", "--name", "${fileBasenameNoExtension}", "--force"]],
  ["sandbox start", ["sandbox", "start"]],
  ["sandbox status", ["sandbox", "status"]],
];

export function createTaskProvider(
  script: string,
  session: Pick<SandboxSession, "sandbox">,
): vscode.TaskProvider {
  return {
    provideTasks: () =>
      OFFERED.map(([name, args]) =>
        makeTask({ type: TASK_TYPE, args }, name, vscode.TaskScope.Workspace, script, session),
      ),
    resolveTask: (task) => {
      const definition = task.definition as FunctezTask;
      if (!Array.isArray(definition.args)) return undefined;
      return makeTask(definition, task.name, task.scope ?? vscode.TaskScope.Workspace, script, session);
    },
  };
}

function makeTask(
  definition: FunctezTask,
  name: string,
  scope: vscode.TaskScope | vscode.WorkspaceFolder,
  script: string,
  { sandbox }: Pick<SandboxSession, "sandbox">,
): vscode.Task {
  const url = sandbox ? { FUNCTEZ_SANDBOX_URL: sandbox.sandboxd } : {};
  const env = childEnvironment(process.env, url) as Record<string, string>;
  const run = new vscode.ProcessExecution(process.execPath, [script, ...definition.args], { env });
  const watches = definition.args[0] === "dev";
  const matcher = watches ? PROBLEM_MATCHERS.watch : PROBLEM_MATCHERS.once;
  const task = new vscode.Task(definition, scope, name, "functez", run, [`$${matcher}`]);
  task.isBackground = watches;
  if (definition.args[0] === "deploy") task.group = vscode.TaskGroup.Build;
  return task;
}
