// Tasks: `functez dev` and other commands of the bundled command line in the task terminal.
import * as vscode from "vscode";
import { TASK_TYPE } from "../ids.ts";
import { childEnvironment } from "../session/child-environment.ts";

interface FunctezTask extends vscode.TaskDefinition {
  /** Arguments of the command line, for example ["dev", "src/index.ts"]. */
  readonly args: readonly string[];
}

export function createTaskProvider(script: string): vscode.TaskProvider {
  return {
    provideTasks: () =>
      [
        ["sandbox", "start"],
        ["sandbox", "status"],
      ].map((args) => makeTask({ type: TASK_TYPE, args }, vscode.TaskScope.Workspace, script)),
    resolveTask: (task) => {
      const definition = task.definition as FunctezTask;
      if (!Array.isArray(definition.args)) return undefined;
      return makeTask(definition, task.scope ?? vscode.TaskScope.Workspace, script);
    },
  };
}

function makeTask(
  definition: FunctezTask,
  scope: vscode.TaskScope | vscode.WorkspaceFolder,
  script: string,
): vscode.Task {
  const env = childEnvironment(process.env) as Record<string, string>;
  const run = new vscode.ProcessExecution(process.execPath, [script, ...definition.args], { env });
  return new vscode.Task(definition, scope, definition.args.join(" "), "functez", run, []);
}
